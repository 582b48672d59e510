import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ScriptProcess, type ScriptStart } from '../../../src/launch/scriptProcess';
import type { SessionSandbox } from '../../../src/sandbox/sessionPlan';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('a script in a sandbox, seen from outside', () => {
  const folder = useTemporaryFolder();
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  let others: NodeJS.UnhandledRejectionListener[];
  before(() => {
    // mocha's own would end the test before it is seen what else there is
    others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
  });
  after(() => {
    process.removeAllListeners('unhandledRejection');
    others.forEach((listener) => process.on('unhandledRejection', listener));
  });

  it('says in the log why it can’t be started, and leaves no failure that nobody hears of', async () => {
    const log: string[] = [];
    const start: ScriptStart = {
      nodePath: join(folder(), 'an editor that was updated'),
      keeper: join(folder(), 'keeper.js'),
      environment: {},
      onLog: (line) => log.push(line),
      sandbox: {} as SessionSandbox,
      script: 'sessionReader.mjs',
    };
    await assert.rejects(
      ScriptProcess.start(start, () => undefined),
      { code: 'sessions.silent' },
    );
    await new Promise((resolve) => setImmediate(resolve));
    assert.match(log.join('\n'), /ENOENT/);
    assert.deepEqual(unhandled, []);
  });
});
