import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRunDirectory } from '../../../src/host/runDirectory';
import type { RunDirectory } from '../../../src/sandbox/runDirectory';
import { UserError } from '../../../src/sandbox/userError';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('createRunDirectory', () => {
  const folder = useTemporaryFolder();
  const create = (parents: readonly string[], announced: string[] = []): Promise<RunDirectory> => {
    const companion = join(folder(), 'companion.mjs');
    writeFileSync(companion, '');
    return createRunDirectory(
      parents,
      { seccompProfile: {}, opencodeConfiguration: {}, companion },
      ({ path }) => {
        assert.ok(!existsSync(path));
        announced.push(path);
        return Promise.resolve();
      },
    );
  };

  it('makes it at a plain path, closed to others, and tells before where', async () => {
    const announced: string[] = [];
    const run = await create([`${folder()}//`], announced);
    assert.equal(dirname(run.path), folder());
    assert.deepEqual(announced, [run.path]);
    assert.equal(statSync(run.path).mode & 0o777, 0o700);
    assert.ok(statSync(run.gate).isFIFO());
  });

  it('passes over a parent that does not work, and leaves nothing there', async () => {
    const long = join(folder(), 'x'.repeat(100));
    const run = await create([join(folder(), 'missing'), long, folder()]);
    assert.equal(dirname(run.path), folder());
  });

  it('says so when there is none', async () => {
    await assert.rejects(create([join(folder(), 'missing')]), (error) => {
      assert(error instanceof UserError);
      assert.equal(error.code, 'runDirectory.notPossible');
      return true;
    });
    assert.deepEqual(readdirSync(folder()), ['companion.mjs']);
  });
});
