import { Terminal } from '@xterm/headless';
import { connectSandbox } from '../../../src/launch/connect';
import type { SandboxConnection } from '../../../src/launch/connection';
import { wantedModels } from '../../../src/launch/modelAccess';
import { prepareSandbox } from '../../../src/launch/prepare';
import type { PrepareRequest } from '../../../src/launch/prepareRequest';
import { spawnSupervisor } from '../../../src/launch/startSupervisor';
import { readProjectConfiguration } from '../../../src/opencode/projectConfiguration';
import { apptainer, vscodeHost } from '../../support/environment';
import { emptyPrompt } from '../../support/opencodePrompt';
import { endOf, nodePtyFolder } from '../../sandbox/support/sandboxUnderTest';
import type { BenchFolders } from './benchFolders';
import { dimensions, painted, versionLine } from './screens';

/** Milliseconds from the request for a program in a sandbox until nothing of it is left. @throws Error when it fails */
export async function oursUntilEnd(folders: BenchFolders, ...program: string[]): Promise<number> {
  const start = performance.now();
  const connection = await startOurs(folders, { kind: 'run', program });
  const { reason, exitCode } = await endOf(connection);
  if (reason !== 'exited' || exitCode !== 0) throw new Error(`${program.join(' ')}: ${reason} ${exitCode}`);
  return performance.now() - start;
}

/** Milliseconds from the request for `opencode --version`, as a one-shot, until the version is there. @param opencodeCopy as the setting */
export async function oursUntilVersion(folders: BenchFolders, opencodeCopy = true): Promise<number> {
  const start = performance.now();
  const connection = await startOurs(
    folders,
    { kind: 'run', program: ['opencode', '--version'] },
    opencodeCopy,
  );
  const ended = endOf(connection);
  const taken = await shown(connection, versionLine, start);
  await ended;
  return taken;
}

/** Milliseconds from the request for an agent until its prompt is painted. */
export async function oursUntilPainted(folders: BenchFolders, opencodeCopy = true): Promise<number> {
  const start = performance.now();
  const connection = await startOurs(folders, { kind: 'agent' }, opencodeCopy);
  const taken = await shown(connection, emptyPrompt, start);
  await connection.stop();
  connection.dispose();
  return taken;
}

async function shown(connection: SandboxConnection, expected: RegExp, start: number): Promise<number> {
  const screen = new Terminal({ cols: dimensions.columns, rows: dimensions.rows, allowProposedApi: true });
  let received = 0;
  connection.onOutput((data, resync) => {
    if (resync) screen.reset();
    received += data.length;
    const parsed = received;
    screen.write(data, () => connection.acknowledge(parsed));
  });
  await connection.attachTerminal(dimensions);
  const taken = await painted(screen, expected, start);
  screen.dispose();
  return taken;
}

/** All that the extension does from a command until there is a sandbox to look at, with the editor's own Node.js. */
async function startOurs(
  folders: BenchFolders,
  wish: Pick<PrepareRequest, 'kind' | 'program'>,
  opencodeCopy = true,
): Promise<SandboxConnection> {
  const supervisor = spawnSupervisor({
    nodePath: vscodeHost().nodeBinary,
    script: folders.supervisor,
    ...{ ptyModules: [nodePtyFolder], compiledCode: folders.compiledCode, environment: process.env },
    onLog: (line) => console.error(line),
  });
  const input = await prepareSandbox({
    ...wish,
    workspace: folders.workspace,
    environment: process.env,
    storageDirectory: folders.storage,
    serverFolders: [],
    settings: {
      ...{ apptainerPath: apptainer(), image: folders.image },
      ...(wish.kind === 'run'
        ? { agentHome: 'none', network: 'none' as const }
        : { agentHome: 'workspace', network: 'restricted' as const }),
      detachedTimeoutMilliseconds: 60_000,
      temporaryFilesLimitBytes: 2 ** 30,
      opencodeCopy,
    },
    // a program that is run gets no models
    ...(wish.kind === 'run' ? {} : { grants: await grantsOf(folders.workspace) }),
    ...{ ptyModules: [nodePtyFolder], platform: process.platform, uid: process.getuid?.() ?? 0 },
  });
  const { socket } = await supervisor.start(input);
  return connectSandbox(socket);
}

/** What a user has granted who approved of all that the project wants. */
async function grantsOf(workspace: string): Promise<PrepareRequest['grants']> {
  const wanted = wantedModels(await readProjectConfiguration(workspace));
  return { approved: wanted.map(({ baseUrl }) => baseUrl), keys: new Map() };
}
