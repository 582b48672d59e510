import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DeletedSessions } from '../../../src/launch/deletedSessions';
import { sessionIdOf } from '../../support/sessions';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const day = 24 * 60 * 60 * 1000;

describe('deleted sessions', () => {
  const folder = useTemporaryFolder();
  const kept = {
    id: sessionIdOf(1),
    title: 'Plot',
    deletedAt: 5 * day,
    folder: '/work',
    exports: ['{"info":1}', '{}'],
  };

  it('are kept for each folder, with all that was exported', async () => {
    const deleted = new DeletedSessions(join(folder(), 'storage'));
    await deleted.keep(kept);
    await deleted.keep({ ...kept, id: sessionIdOf(2), deletedAt: 6 * day });
    const list = await deleted.list('/work', 7 * day);
    assert.deepEqual(list, [
      { id: sessionIdOf(2), title: 'Plot', deletedAt: 6 * day },
      { id: sessionIdOf(1), title: 'Plot', deletedAt: 5 * day },
    ]);
    assert.deepEqual(await deleted.list('/other', 7 * day), []);
    assert.deepEqual(await deleted.exportsOf('/work', kept.id), kept.exports);
    assert.equal(statSync(join(folder(), 'storage', 'deleted')).mode & 0o777, 0o700);
  });

  it('are forgotten when they were restored, and after thirty days', async () => {
    const deleted = new DeletedSessions(folder());
    await deleted.keep(kept);
    assert.equal((await deleted.list('/work', 35 * day)).length, 1);
    assert.deepEqual(await deleted.list('/work', 36 * day), []);
    await deleted.keep(kept);
    await deleted.remove('/work', kept.id);
    const [own = ''] = readdirSync(join(folder(), 'deleted'));
    assert.deepEqual(readdirSync(join(folder(), 'deleted', own)), []);
  });

  it('are replaced when the same one is deleted again', async () => {
    const deleted = new DeletedSessions(folder());
    await deleted.keep(kept);
    await deleted.keep({ ...kept, exports: ['new'] });
    assert.deepEqual(await deleted.exportsOf('/work', kept.id), ['new']);
  });
});
