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

/** What people type today: `apptainer exec --containall IMAGE command`, with `environment` on top of their own. */
export function plainCommand(environment: Record<string, string>, ...command: string[]): string {
  const result = spawnSync(
    'apptainer',
    ['-q', 'exec', '--containall', '--cleanenv', shellImage(), ...command],
    {
      env: { ...plainEnvironment(), ...environment },
      encoding: 'utf8',
      timeout: 30_000,
    },
  );
  return result.stdout + result.stderr;
}
