import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { runProcess } from '../../../src/host/runProcess';
import { apptainer, image, shellImage } from '../../support/environment';

/** The environment in which somebody would type the plain command. */
export function plainEnvironment(): Record<string, string> {
  return {
    HOME: process.env['HOME'] ?? '/',
    PATH: `${dirname(apptainer())}:/usr/bin:/bin`,
    TERM: 'xterm-256color',
  };
}

/** The plain command with options of its own; see {@link plainCommand}. */
export function plainCommandWith(options: readonly string[], ...command: string[]): string {
  return run({}, options, command);
}

/** What people type today: `apptainer exec --containall IMAGE command`, with `environment` on top of their own. */
export function plainCommand(environment: Record<string, string>, ...command: string[]): string {
  return run(environment, ['--cleanenv'], command);
}

/** A task for opencode as the lesson types it, with the home at /home/myuser. Its model must be named `scripted`. */
export async function plainTask(workspace: string, home: string, prompt: string): Promise<void> {
  // not synchronous: the model answers from this process
  const { exitCode, stderr } = await runProcess({
    file: apptainer(),
    args: [
      ...['-q', 'exec', '--containall', '--bind', workspace, '--pwd', workspace],
      ...['--home', `${home}:/home/myuser`, '--env', 'NPM_CONFIG_OFFLINE=true', image()],
      ...['opencode', 'run', '-m', 'scripted/scripted', prompt],
    ],
    env: plainEnvironment(),
    cwd: '/',
    timeoutMilliseconds: 120_000,
    maximumOutputBytes: 100_000,
  });
  if (exitCode !== 0) throw new Error(`opencode ended with ${exitCode}: ${stderr}`);
}

function run(
  environment: Record<string, string>,
  options: readonly string[],
  command: readonly string[],
): string {
  const result = spawnSync(
    'apptainer',
    ['-q', 'exec', '--containall', ...options, shellImage(), ...command],
    {
      env: { ...plainEnvironment(), ...environment },
      encoding: 'utf8',
      timeout: 30_000,
    },
  );
  return result.stdout + result.stderr;
}
