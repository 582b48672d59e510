import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { parseAs } from '../sandbox/parseAs';
import { finite } from '../sandbox/schemas';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import type { SupervisorInput } from '../supervisor/input';
import type { ReadyLine } from '../supervisor/protocol';

/** The process that is to be a supervisor. */
export interface SupervisorProgram {
  /** Node, or an editor's own program that can be Node */
  readonly nodePath: string;
  /** path of the bundled supervisor */
  readonly script: string;
  /** folders from which it loads node-pty before it is told what to keep; default: it does so then */
  readonly ptyModules?: readonly string[];
  /** a folder of ours in which Node keeps what it has compiled (NODE_COMPILE_CACHE); Node.js 20 has no use for it */
  readonly compiledCode?: string | undefined;
  /** the user's, of which only HOME and the name are handed on */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** descriptors that it inherits, as a careless starter would leave them; what it starts must not have them */
  readonly inherited?: readonly number[];
  /** what a supervisor that fails says, for the log */
  readonly onLog: (line: string) => void;
}

/** A process that loads its modules and waits to be told which sandbox it is to keep. Of that there is nothing yet. */
export interface WaitingSupervisor {
  /**
   * Tells it, and waits until it can be connected to. It outlives us. Call it once.
   * @throws UserError with the supervisor's own words, or `supervisor.silent`
   */
  start(input: SupervisorInput): Promise<StartedSupervisor>;
  /** Ends it, unless it was told. Should we be killed before, it ends by itself. */
  dispose(): void;
}

/** A supervisor that can be connected to. */
export interface StartedSupervisor {
  readonly socket: string;
  readonly runDirectory: string;
  readonly pid: number;
}

/** It needs to load its modules and make a folder; a busy login node may take seconds for that. */
const readyMilliseconds = 30_000;

const readyLine = v.union([
  v.object({ ready: v.literal(true), socket: v.string(), runDirectory: v.string(), pid: finite }),
  v.object({
    ready: v.literal(false),
    code: v.string(),
    explanation: v.object({ text: v.string(), values: v.array(v.union([v.string(), finite])) }),
  }),
]) satisfies v.GenericSchema<unknown, ReadyLine>;

/** Starts a process for a supervisor in a session of its own, with an environment built from nothing. */
export function spawnSupervisor(program: SupervisorProgram): WaitingSupervisor {
  const { nodePath, script, ptyModules = [], inherited = [], onLog } = program;
  const child = spawn(nodePath, [script, ...ptyModules], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe', ...inherited],
    env: supervisorEnvironment(program),
  }) as ChildProcessWithoutNullStreams;
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  // a supervisor that died early is reported below
  child.stdin.on('error', () => undefined);
  const line = firstLine(child);
  // it may fail before anybody waits for it
  line.catch(() => undefined);
  let isTold = false;
  return {
    start: async (input) => {
      isTold = true;
      child.stdin.end(JSON.stringify(input));
      try {
        return await readiness(line);
      } catch (error) {
        child.kill('SIGKILL');
        errors.forEach((text) => onLog(text.trimEnd()));
        throw error instanceof UserError ? error : silent(error);
      } finally {
        letGo(child);
      }
    },
    dispose: () => {
      if (isTold) return;
      child.kill('SIGKILL');
      letGo(child);
    },
  };
}

/**
 * {@link spawnSupervisor} with something to keep at once.
 *
 * @throws UserError with the supervisor's own words, or `supervisor.silent`
 */
export async function startSupervisor({
  specification,
  secrets,
  ...program
}: SupervisorProgram & SupervisorInput): Promise<StartedSupervisor> {
  return spawnSupervisor(program).start({ specification, secrets });
}

/** What its first line says. @throws when it comes too late, or says that there is none */
async function readiness(firstLine: Promise<string>): Promise<StartedSupervisor> {
  const patience = new AbortController();
  const late = delay(readyMilliseconds, undefined, { signal: patience.signal }).then(() => {
    throw new Error('no answer in time');
  });
  try {
    const line = parseAs(readyLine, JSON.parse(await Promise.race([firstLine, late])));
    if (!line.ready) {
      throw new UserError(line.code, line.explanation, { kind: 'showLog' });
    }
    return line;
  } finally {
    late.catch(() => undefined);
    patience.abort();
  }
}

/** Nothing of a supervisor keeps us alive. */
function letGo(child: ChildProcessWithoutNullStreams): void {
  child.unref();
  [child.stdin, child.stdout, child.stderr].forEach((stream) => stream.destroy());
}

function silent(cause: unknown): UserError {
  const description = message('The process that keeps the sandbox could not be started. The log says more.');
  return new UserError('supervisor.silent', description, { kind: 'showLog' }, { cause });
}

/** Nothing of ours but where the user's things are and whom to trust: no NODE_OPTIONS, no LD_*, nothing of VS Code's. */
function supervisorEnvironment({ environment, compiledCode }: SupervisorProgram): NodeJS.ProcessEnv {
  // a site's own authority, for models and proxies with its certificates
  const names = ['HOME', 'USER', 'LOGNAME', 'NODE_EXTRA_CA_CERTS'];
  const kept = names.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    ...(compiledCode !== undefined && { NODE_COMPILE_CACHE: compiledCode }),
    PATH: '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    // an editor's program is Node only when asked to be
    ELECTRON_RUN_AS_NODE: '1',
  };
}

/** The first line that it prints. @throws when it ends before that */
function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once('close', (code) => reject(new Error(`it ended with ${code ?? 'a signal'}`)));
  });
}
