import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { identified } from '../../../src/host/fileIdentity';
import { writeIndexEntry, type SandboxIndexEntry } from '../../../src/host/sandboxIndex';
import { protectWorkspace } from '../../../src/launch/protectWorkspace';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { UserError } from '../../../src/sandbox/userError';
import { liveEntry } from '../../support/indexEntries';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('a sandbox that would share folders with one that runs', () => {
  const root = useTemporaryFolder();
  /** of another computer */
  const hostName = 'elsewhere';
  const at = (...names: string[]): string => join(root(), ...names);

  beforeEach(() => {
    for (const name of ['index', 'project/agent-home', 'project/sub', 'project/kept', 'other', 'holds/inner'])
      mkdirSync(at(name), { recursive: true });
  });

  const enter = async (changes: Partial<SandboxIndexEntry>): Promise<void> =>
    writeIndexEntry(at('index'), await liveEntry(changes));

  const keptAt = async (path: string): Promise<SandboxSpecification['home']> => ({
    kind: 'folder',
    folder: await identified(path),
  });
  const inMemory: SandboxSpecification['home'] = { kind: 'memory' };

  /** Why it is refused; undefined when it is not. */
  async function refusal(
    workspace: string,
    home: SandboxSpecification['home'],
    agentHome?: string,
  ): Promise<UserError | undefined> {
    return protectWorkspace(workspace, home, agentHome === undefined ? {} : { agentHome }, at('index')).then(
      () => undefined,
      (error: unknown) => (error instanceof UserError ? error : assert.fail(String(error))),
    );
  }

  it('covers what are homes of agents there, of those that it finds', async () => {
    await enter({
      workspace: at('other'),
      home: at('project', 'sub'),
      homes: [await identified(at('project', 'sub'))],
    });
    const { parts } = await protectWorkspace(
      at('project'),
      inMemory,
      { agentHome: at('project', 'kept') },
      at('index'),
    );
    const homes = ['agent-home', 'kept', 'sub'].map((name) => identified(at('project', name)));
    assert.deepEqual(parts.otherHomes, await Promise.all(homes));
  });

  it('is refused when one folder is in the other', async () => {
    for (const workspace of [at('project', 'sub'), root()]) {
      await enter({ workspace });
      const error = await refusal(at('project'), inMemory);
      assert.equal(error?.code, 'protected.nested');
      assert.ok(error.message.includes(workspace));
      assert.deepEqual(error.action, { kind: 'runCommand', command: 'sandboxedAgent.stop' });
    }
    // whatever is not looked for there
    await enter({ workspace: at('project', 'kept') });
    assert.equal(
      (await refusal(at('project'), await keptAt(at('project', 'kept'))))?.code,
      'protected.nested',
    );
  });

  it('is refused when the home of one holds the folder of the other', async () => {
    await enter({ workspace: at('holds', 'inner') });
    assert.equal((await refusal(at('project'), await keptAt(at('holds'))))?.code, 'home.open');
    await enter({ workspace: at('other'), home: at('holds') });
    assert.equal((await refusal(at('holds', 'inner'), inMemory))?.code, 'home.reached');
    assert.equal((await refusal(at('holds'), inMemory))?.code, 'home.reached');
  });

  it('is refused when its home is in the folder of the other, unless it is closed there', async () => {
    const home = await keptAt(at('project', 'kept'));
    await enter({ workspace: at('project') });
    for (const workspace of [at('project'), at('other')])
      assert.equal((await refusal(workspace, home))?.code, 'home.open');
    await enter({ workspace: at('project'), homes: [await identified(at('project', 'kept'))] });
    for (const workspace of [at('project'), at('other')])
      assert.equal(await refusal(workspace, home), undefined);
    renameSync(at('project', 'kept'), at('project', 'moved'));
    mkdirSync(at('project', 'kept'));
    for (const workspace of [at('project'), at('other')])
      assert.equal((await refusal(workspace, await keptAt(at('project', 'kept'))))?.code, 'home.open');
  });

  it('is refused when the home of the other is not where it was', async () => {
    const home = at('project', 'kept');
    await enter({ workspace: at('other'), home, homes: [await identified(home)] });
    assert.equal(await refusal(at('project'), inMemory), undefined);
    renameSync(home, at('project', 'moved'));
    assert.equal((await refusal(at('project'), inMemory))?.code, 'home.reached');
    mkdirSync(home);
    assert.equal((await refusal(at('project'), inMemory))?.code, 'home.reached');
  });

  it('may share a home, also one that an older version has entered', async () => {
    const home = await keptAt(at('project', 'agent-home'));
    await enter({ workspace: at('project'), home: at('project', 'agent-home') });
    assert.equal(await refusal(at('project'), home), undefined);
    await enter({ workspace: at('other'), home: at('holds') });
    assert.equal(await refusal(at('project'), await keptAt(at('holds', 'inner'))), undefined);
  });

  it('is told of another computer’s where to stop it, and what to remove when it is gone', async () => {
    const home = await keptAt(at('project', 'kept'));
    for (const [code, entry] of [
      ['protected.nested', { workspace: at('project', 'sub') }],
      ['home.open', { workspace: at('project') }],
      ['home.reached', { workspace: at('other'), home: at('project', 'missing') }],
    ] as const) {
      await enter({ ...entry, hostName });
      const error = await refusal(at('project'), home);
      assert.equal(error?.code, code);
      assert.match(error.message, /elsewhere[^]*remove the file .*index\/0123456789abcdef\.json/);
      assert.equal(error.action, undefined);
    }
    // another number of the same file system
    const { path, identity } = await identified(at('project', 'kept'));
    await enter({
      workspace: at('project'),
      homes: [{ path, identity: { ...identity, device: '0' } }],
      hostName,
    });
    assert.equal(await refusal(at('project'), home), undefined);
  });
});
