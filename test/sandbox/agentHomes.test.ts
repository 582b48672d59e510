import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIndexEntries } from '../../src/host/sandboxIndex';
import type { SandboxConnection } from '../../src/launch/connection';
import { protectWorkspace } from '../../src/launch/protectWorkspace';
import type { SandboxSpecification } from '../../src/sandbox/specification';
import { UserError } from '../../src/sandbox/userError';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { git } from './support/repositories';
import { identified, specify } from './support/sandboxUnderTest';
import { useSandboxes } from './support/startedSandboxes';

/** Where its shell is, and what it shows. */
interface Shell {
  readonly folder: string;
  readonly screen: ScreenReader;
  readonly connection: SandboxConnection;
}

/** In its home an agent can write everything: what another sandbox can move there, it could change. */
describe('the home of an agent', () => {
  const sandboxes = useSandboxes();
  beforeEach(() => {
    mkdirSync(at('sub'));
    git(at('sub'), 'init', '-q');
  });
  const at = (...names: string[]): string => join(sandboxes().folders.workspace, ...names);

  /** As the extension does. @param home undefined: in memory */
  async function specifyWith(home: string | undefined, workspace = at()): Promise<SandboxSpecification> {
    const kept: SandboxSpecification['home'] =
      home === undefined ? { kind: 'memory' } : { kind: 'folder', folder: identified(home) };
    const { folders } = sandboxes();
    const { parts } = await protectWorkspace(workspace, kept, {}, folders.index);
    return specify(folders, { ...parts, home: kept, workspace: identified(workspace) });
  }

  async function run(specification: SandboxSpecification): Promise<Shell> {
    const { connection } = await sandboxes().start(specification);
    await sandboxes().runs(connection);
    return {
      folder: specification.workspace.path,
      screen: await ScreenReader.attach(connection),
      connection,
    };
  }

  const start = async (...given: Parameters<typeof specifyWith>): Promise<Shell> =>
    run(await specifyWith(...given));

  async function inside({ screen, folder }: Shell, command: string): Promise<string> {
    screen.type(`(${command}) > outcome 2>&1; touch finished\r`);
    await waitUntil(`${command} is over`, () => existsSync(join(folder, 'finished')), 30_000);
    rmSync(join(folder, 'finished'));
    return readFileSync(join(folder, 'outcome'), 'utf8');
  }

  const isRefusal =
    (code: string) =>
    (error: unknown): boolean =>
      error instanceof Error && error.cause instanceof UserError && error.cause.code === code;

  const isWritten = (): boolean => existsSync(at('sub/.git/hook'));

  /** Moves the repository into the home, has the agent there write into it, and moves it back. */
  async function attackThrough(home: string, mover: Shell, agent: () => Promise<Shell>): Promise<string[]> {
    const outcomes = [await inside(mover, `mv sub ${home}/sub`)];
    const shell = await agent();
    outcomes.push(
      await inside(shell, 'echo "touch ran" > /home/agent/sub/.git/hook'),
      await inside(mover, `mv ${home}/sub sub`),
    );
    return outcomes;
  }

  it('is closed to a sandbox without one, which finds it empty', async () => {
    const script = await start(undefined);
    mkdirSync(at('agent-home/database'));
    assert.equal(await inside(script, 'ls -A agent-home'), '');
    const outcomes = await attackThrough('agent-home', script, () => start(at('agent-home')));
    assert.equal(isWritten(), false, outcomes.join('\n'));
    assert.match(outcomes[0] ?? '', /[Rr]ead-only/);
    assert.equal(script.connection.status.verdict?.state, 'isolated');
    assert.deepEqual(readdirSync(at('agent-home/database')), []);
  });

  it('is refused while a sandbox runs that was started before it was there', async () => {
    rmSync(at('agent-home'), { recursive: true });
    const script = await start(undefined);
    await inside(script, 'mkdir agent-home');
    await assert.rejects(
      attackThrough('agent-home', script, () => start(at('agent-home'))),
      { code: 'home.open' },
    );
    assert.equal(isWritten(), false);
  });

  it('of another folder is closed, too, or refused', async () => {
    const other = join(sandboxes().folders.root, 'other');
    mkdirSync(other);
    mkdirSync(at('kept'));
    const agent = await start(at('kept'), other);
    const mover = await start(at('agent-home'));
    assert.match(await inside(mover, 'mv sub kept/sub'), /[Rr]ead-only/);
    await agent.connection.stop();
    mkdirSync(at('more'));
    await assert.rejects(
      attackThrough('more', mover, () => start(at('more'), other)),
      { code: 'home.open' },
    );
    assert.equal(isWritten(), false);
  });

  it('is not reached by one that was ready to start before there was such a home', async () => {
    rmSync(at('agent-home'), { recursive: true });
    const script = await specifyWith(undefined);
    mkdirSync(at('agent-home'));
    await start(at('agent-home'));
    await assert.rejects(run(script), isRefusal('home.reached'));
  });

  it('or not, a sandbox that was ready to start before one began in a folder above or below is refused', async () => {
    const outer = await specifyWith(undefined);
    const { connection } = await start(undefined, at('sub'));
    await assert.rejects(run(outer), isRefusal('protected.nested'));
    const entries = await readIndexEntries(sandboxes().folders.index);
    assert.deepEqual(
      entries.map(({ id }) => id),
      [connection.summary.id],
    );
    await connection.stop();
    await run(outer);
  });

  it('is refused where its name leads to another folder than the one that is closed', async () => {
    mkdirSync(at('deep/home'), { recursive: true });
    const first = await start(at('deep/home'));
    await inside(first, 'mv deep moved; mkdir -p deep/home');
    await assert.rejects(start(at('deep/home')), { code: 'home.open' });
    // of one that runs
    await assert.rejects(start(at('agent-home')), { code: 'home.reached' });
    renameSync(at('deep'), at('made'));
    renameSync(at('moved'), at('deep'));
    await start(at('agent-home'));
  });
});
