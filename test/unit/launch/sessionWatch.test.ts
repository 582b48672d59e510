import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionWatch } from '../../../src/launch/sessionWatch';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

describe('the watch on opencode’s database', () => {
  const folder = useTemporaryFolder();
  let watch: SessionWatch | undefined;
  let changes = 0;
  beforeEach(() => {
    changes = 0;
    mkdirSync(join(folder(), 'home'));
  });
  afterEach(() => watch?.dispose());

  const data = (): string => join(folder(), 'home/.local/share/opencode');
  const start = (): Promise<unknown> => {
    watch = new SessionWatch(join(folder(), 'home'), () => (changes += 1), 20);
    return waitUntil('it has looked once', () => watch?.hasLooked);
  };

  it('tells of what opencode writes, several writes at a time', async () => {
    mkdirSync(data(), { recursive: true });
    writeFileSync(join(data(), 'opencode.db'), '');
    await start();
    for (let write = 0; write < 50; write++) appendFileSync(join(data(), 'opencode.db-wal'), 'page');
    await waitUntil('it is told', () => changes > 0);
    assert.ok(changes <= 2);
  });

  it('sees a folder that appears later, or takes the place of another', async () => {
    await start();
    mkdirSync(data(), { recursive: true });
    writeFileSync(join(data(), 'opencode.db'), '');
    await waitUntil('it is seen', () => changes === 1);
    renameSync(data(), `${data()}-old`);
    await waitUntil('its end is seen', () => changes === 2);
  });

  it('follows no link that the agent has put there', async () => {
    const elsewhere = join(folder(), 'elsewhere');
    mkdirSync(join(elsewhere, 'share/opencode'), { recursive: true });
    symlinkSync(elsewhere, join(folder(), 'home/.local'));
    await start();
    writeFileSync(join(elsewhere, 'share/opencode/opencode.db'), 'x');
    // what it does see comes after what it must not see
    rmSync(join(folder(), 'home/.local'));
    mkdirSync(data(), { recursive: true });
    await waitUntil('the true folder is seen', () => changes > 0);
    assert.equal(changes, 1);
  });
});
