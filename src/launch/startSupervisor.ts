import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import * as z from 'zod';
import { message } from '../sandbox/message';
import type { SandboxSecrets } from '../sandbox/networkAccess';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';
import type { SupervisorInput } from '../supervisor/input';
import type { ReadyLine } from '../supervisor/protocol';

export interface SupervisorStart {
  /** Node, or an editor's own program that can be Node */
  readonly nodePath: string;
  /** path of the bundled supervisor */
  readonly script: string;
  readonly specification: SandboxSpecification;
  readonly secrets: SandboxSecrets;
  /** the user's, of which only HOME and the name are handed on */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** descriptors that it inherits, as a careless starter would leave them; what it starts must not have them */
  readonly inherited?: readonly number[];
  /** what a supervisor that fails says, for the log */
  readonly onLog: (line: string) => void;
}

/** A supervisor that can be connected to. */
export interface StartedSupervisor {
  readonly socket: string;
  readonly runDirectory: string;
  readonly pid: number;
}

/** It needs to load its modules and make a folder; a busy login node may take seconds for that. */
const readyMilliseconds = 30_000;

const readyLine = z.union([
  z.object({ ready: z.literal(true), socket: z.string(), runDirectory: z.string(), pid: z.number() }),
  z.object({
    ready: z.literal(false),
    code: z.string(),
    explanation: z.object({ text: z.string(), values: z.array(z.union([z.string(), z.number()])) }),
  }),
]) satisfies z.ZodType<ReadyLine>;

/**
 * Starts a supervisor in a session of its own, with an environment built from nothing, and waits until it can be
 * connected to. It outlives us.
 *
 * @throws UserError with the supervisor's own words, or `supervisor.silent`
 */
export async function startSupervisor(start: SupervisorStart): Promise<StartedSupervisor> {
  const child = spawn(start.nodePath, [start.script], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe', ...(start.inherited ?? [])],
    env: supervisorEnvironment(start.environment),
  }) as ChildProcessWithoutNullStreams;
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  // a supervisor that died early is reported below
  child.stdin.on('error', () => undefined);
  const { specification, secrets } = start;
  child.stdin.end(JSON.stringify({ specification, secrets } satisfies SupervisorInput));
  try {
    const line = readyLine.parse(JSON.parse(await firstLine(child)));
    if (!line.ready) {
      throw new UserError(line.code, line.explanation, { kind: 'showLog' });
    }
    child.unref();
    return line;
  } catch (error) {
    child.kill('SIGKILL');
    errors.forEach((text) => start.onLog(text.trimEnd()));
    throw error instanceof UserError ? error : silent(error);
  } finally {
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function silent(cause: unknown): UserError {
  const description = message('The process that keeps the sandbox could not be started. The log says more.');
  return new UserError('supervisor.silent', description, { kind: 'showLog' }, { cause });
}

/** Nothing of ours but where the user's things are and whom to trust: no NODE_OPTIONS, no LD_*, nothing of VS Code's. */
function supervisorEnvironment(environment: SupervisorStart['environment']): NodeJS.ProcessEnv {
  // a site's own authority, for models and proxies with its certificates
  const names = ['HOME', 'USER', 'LOGNAME', 'NODE_EXTRA_CA_CERTS'];
  const kept = names.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // an editor's program is Node only when asked to be
  return { ...Object.fromEntries(kept), PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', ELECTRON_RUN_AS_NODE: '1' };
}

/** @throws when it ends, or takes too long, before it has printed a line */
function firstLine(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error('no answer in time')), readyMilliseconds);
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      act();
    };
    child.once('error', (error) => settle(() => reject(error)));
    child.stdout?.setEncoding('utf8');
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) {
        settle(() => resolve(text.slice(0, end)));
      }
    });
    child.once('close', (code) => settle(() => reject(new Error(`it ended with ${code ?? 'a signal'}`))));
  });
}
