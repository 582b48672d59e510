import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { sessionFolder } from '../../../src/sandbox/sessionPlan';
import { Settling } from '../../../src/supervisor/homeSettling';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('the wait for opencode’s tables', () => {
  const home = useTemporaryFolder();
  afterEach(() => mock.timers.reset());

  it('is over when the database is quiet, also when the clock was set back meanwhile', async () => {
    const folder = join(home(), sessionFolder);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'opencode.db'), 'tables');
    await new Promise<void>((resolve) => {
      new Settling(home(), undefined, resolve);
      mock.timers.enable({ apis: ['Date'], now: Date.now() - 60 * 60_000 });
    });
  });
});
