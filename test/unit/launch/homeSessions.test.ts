import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HomeSessions } from '../../../src/launch/homeSessions';
import type { ScriptProcess } from '../../../src/launch/scriptProcess';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { makeSession } from '../../support/sessions';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

describe('the sessions of a home that somebody looks at', () => {
  const root = useTemporaryFolder();
  let home: string | undefined;
  let looks: number;
  let sessions: HomeSessions;
  beforeEach(() => {
    home = undefined;
    looks = 0;
    sessions = new HomeSessions({
      findHome: () => {
        looks += 1;
        return Promise.resolve(home);
      },
      specify: () => Promise.resolve({ home: { kind: 'folder', folder: {} } } as SandboxSpecification),
      startScript: (_sandbox, _script, onLine) => Promise.resolve(reader(onLine)),
      onChange: () => undefined,
      onLog: () => undefined,
      pollMilliseconds: 5,
    });
  });
  afterEach(() => sessions.dispose());

  /** Tells of one session, as the reader in its sandbox does. */
  function reader(onLine: (line: string) => void): ScriptProcess {
    const send = ({ id }: { readonly id: number }): void => {
      onLine(JSON.stringify({ id, sessions: [makeSession(1)] }));
      onLine(JSON.stringify({ id, done: true }));
    };
    const never = new Promise<void>(() => undefined);
    return { send, close: () => Promise.resolve(), ended: never } as unknown as ScriptProcess;
  }

  it('are read once there is a home, also when it is made later', async () => {
    sessions.show();
    await waitUntil('it is known that there is none', () => sessions.isEmpty === true && looks > 2);
    assert.equal(sessions.store.size, 0);
    home = join(root(), 'agent-home');
    mkdirSync(home);
    await waitUntil('they are read', () => sessions.store.size === 1);
    assert.equal(sessions.isEmpty, false);
  });

  it('are not looked for while nobody looks', async () => {
    sessions.show();
    await waitUntil('it is looked for', () => looks > 2);
    sessions.hide();
    const before = looks;
    sessions.show();
    sessions.hide();
    await waitUntil('the last look is over', () => looks > before);
    home = join(root(), 'agent-home');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(looks <= before + 1, `${looks - before} more looks`);
  });
});
