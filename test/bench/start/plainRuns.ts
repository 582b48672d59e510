import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Terminal } from '@xterm/headless';
import { loadNodePty } from '../../../src/host/nodePty';
import { findContainer } from '../../../src/supervisor/containerProcesses';
import { apptainer } from '../../support/environment';
import { emptyPrompt } from '../../support/opencodePrompt';
import { plainEnvironment } from '../../sandbox/support/plainCommand';
import { nodePtyFolder } from '../../sandbox/support/sandboxUnderTest';
import type { BenchFolders } from './benchFolders';
import { dimensions, painted, versionLine } from './screens';

/** The command of the lesson: the folder is bound, and the home is kept in a folder of its own. */
function plainArguments({ workspace, plainHome, image }: BenchFolders, command: readonly string[]): string[] {
  return [
    ...['-q', 'exec', '--containall', '--cleanenv', '--bind', workspace, '--pwd', workspace],
    ...['--home', `${plainHome}:/home/myuser`, image, ...command],
  ];
}

/** Milliseconds from the command until it has ended. @throws Error when it fails */
export async function plainUntilEnd(folders: BenchFolders, ...command: string[]): Promise<number> {
  return (await runPlain(folders, command)).ended;
}

/** Milliseconds from `opencode --version` until the version is there. */
export async function plainUntilVersion(folders: BenchFolders): Promise<number> {
  return (await runPlain(folders, ['opencode', '--version'], versionLine)).said;
}

async function runPlain(
  folders: BenchFolders,
  command: readonly string[],
  expected = /^/,
): Promise<{ readonly said: number; readonly ended: number }> {
  const start = performance.now();
  const child = spawn(apptainer(), plainArguments(folders, command), {
    env: plainEnvironment(),
    cwd: folders.workspace,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let [output, said] = ['', NaN];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (Number.isNaN(said) && expected.test(output)) said = performance.now() - start;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 || !expected.test(output)) throw new Error(`${command.join(' ')}: ${code} ${output}`);
  return { said, ended: performance.now() - start };
}

/** Milliseconds from `opencode` in a terminal until its prompt is painted. */
export async function plainUntilPainted(folders: BenchFolders): Promise<number> {
  const screen = new Terminal({ cols: dimensions.columns, rows: dimensions.rows, allowProposedApi: true });
  const start = performance.now();
  const pty = loadNodePty([nodePtyFolder]).spawn(apptainer(), plainArguments(folders, ['opencode']), {
    ...{ cols: dimensions.columns, rows: dimensions.rows, env: plainEnvironment(), cwd: folders.workspace },
  });
  // what the program asks its terminal is answered, as any terminal does
  screen.onData((answer) => pty.write(answer));
  pty.onData((data) => screen.write(data));
  const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  const taken = await painted(screen, emptyPrompt, start);
  const container = findContainer(pty.pid);
  // with its terminal closed it would go on, see the findings of the project
  process.kill(container?.init ?? pty.pid, 'SIGKILL');
  await ended;
  screen.dispose();
  return taken;
}
