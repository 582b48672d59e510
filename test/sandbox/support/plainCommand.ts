import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { apptainer, shellImage } from '../../support/environment';

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
