import { type ChildProcess, spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { Cancelled } from '../sandbox/userError';
import { type Collector, collectHead, collectTail, forEachLine } from './processOutput';

export interface ProcessRequest {
  /** absolute path of the program: nothing is looked up on PATH */
  readonly file: string;
  readonly args: readonly string[];
  /** the whole environment of the process; nothing is inherited */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** ends the process group: SIGINT, then SIGKILL */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMilliseconds?: number | undefined;
  /** written to standard input, which is then closed; without it standard input is /dev/null */
  readonly standardInput?: string | undefined;
  /** of standard output the first so many bytes are kept, of standard error the last */
  readonly maximumOutputBytes: number;
  readonly onStderrLine?: ((line: string) => void) | undefined;
  /** is told all of standard output, of which nothing else is kept then; it must not throw */
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
}

export interface ProcessOutcome {
  /** null when a signal ended it */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** standard output was longer than what was kept */
  readonly stdoutTruncated: boolean;
}

/** A process that could not be started, took too long, or (see {@link requireSuccess}) ended with an error. */
export class ProcessError extends Error {
  override readonly name = 'ProcessError';

  constructor(
    readonly reason: 'notStarted' | 'timedOut' | 'failed',
    readonly file: string,
    readonly exitCode: number | null,
    readonly signal: NodeJS.Signals | null,
    /** the end of what it wrote to standard error; for the log, never for a notification */
    readonly stderrTail: string,
    options?: ErrorOptions,
  ) {
    super(describe(reason, file, exitCode, signal, stderrTail), options);
  }
}

/** How long a process group has to end after SIGINT before it gets SIGKILL. Apptainer cleans up in 0.1 s. */
const graceMilliseconds = 3000;
/** How long descendants may keep the pipes open after the process itself has ended. */
const drainMilliseconds = 1000;

/**
 * Runs a program in a process group of its own and waits until it has ended and its output was read to the end.
 * Any exit code is an outcome; use {@link requireSuccess} where only 0 will do.
 * @throws Cancelled when `signal` was aborted, ProcessError when it could not be started or took too long
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessOutcome> {
  if (request.signal?.aborted) throw new Cancelled(`${request.file} was not started`);
  if (!isAbsolute(request.file)) {
    throw new ProcessError('notStarted', request.file, null, null, 'the path of the program is not absolute');
  }
  const child = start(request);
  const stdout = collectHead(child.stdout, request.onStdout ? 0 : request.maximumOutputBytes);
  if (request.onStdout !== undefined) child.stdout?.on('data', request.onStdout);
  const stderr = collectTail(child.stderr, request.maximumOutputBytes);
  if (request.onStderrLine !== undefined) forEachLine(child.stderr, request.onStderrLine);
  const stopper = armStopper(child, request);
  try {
    const { exitCode, signal } = await ended(child);
    if (stopper.reason === 'cancelled') throw new Cancelled(`${request.file} was cancelled`);
    if (stopper.reason === 'timedOut') {
      throw new ProcessError('timedOut', request.file, exitCode, signal, tail(stderr));
    }
    const { text, truncated } = stdout.read();
    return { exitCode, signal, stdout: text, stdoutTruncated: truncated, stderr: stderr.read().text };
  } catch (error) {
    if (error instanceof Cancelled || error instanceof ProcessError) throw error;
    throw new ProcessError('notStarted', request.file, null, null, tail(stderr), { cause: error });
  } finally {
    stopper.disarm();
  }
}

/** Passes an outcome through. @throws ProcessError unless the exit code is 0 */
export function requireSuccess(file: string, outcome: ProcessOutcome): ProcessOutcome {
  if (outcome.exitCode === 0) return outcome;
  throw new ProcessError(
    'failed',
    file,
    outcome.exitCode,
    outcome.signal,
    outcome.stderr.slice(-tailCharacters),
  );
}

const tailCharacters = 2000;

function tail(stderr: Collector): string {
  return stderr.read().text.slice(-tailCharacters);
}

function start(request: ProcessRequest): ChildProcess {
  const child = spawn(request.file, request.args, {
    cwd: request.cwd,
    env: { ...request.env },
    detached: true,
    stdio: [request.standardInput === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // a program that ends without reading its input is judged by its exit code, not by our EPIPE
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(request.standardInput);
  return child;
}

interface Stopper {
  readonly reason: 'cancelled' | 'timedOut' | undefined;
  disarm(): void;
}

function armStopper(child: ChildProcess, request: ProcessRequest): Stopper {
  let reason: Stopper['reason'];
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (why: NonNullable<Stopper['reason']>): void => {
    if (reason !== undefined) return;
    reason = why;
    signalGroup(child, 'SIGINT');
    killTimer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMilliseconds);
  };
  const onAbort = (): void => stop('cancelled');
  request.signal?.addEventListener('abort', onAbort, { once: true });
  const timeout = request.timeoutMilliseconds;
  const timer = timeout === undefined ? undefined : setTimeout(() => stop('timedOut'), timeout);
  return {
    get reason() {
      return reason;
    },
    disarm() {
      clearTimeout(timer);
      clearTimeout(killTimer);
      request.signal?.removeEventListener('abort', onAbort);
      // descendants that ignored SIGINT but let go of the pipes
      if (reason !== undefined) signalGroup(child, 'SIGKILL');
    },
  };
}

function ended(child: ChildProcess): Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    let drainTimer: NodeJS.Timeout | undefined;
    child.once('error', reject);
    child.once('exit', () => {
      drainTimer = setTimeout(() => {
        signalGroup(child, 'SIGKILL');
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, drainMilliseconds);
    });
    child.once('close', (exitCode, signal) => {
      clearTimeout(drainTimer);
      resolve({ exitCode, signal });
    });
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // the group is gone already
  }
}

function describe(
  reason: ProcessError['reason'],
  file: string,
  exitCode: number | null,
  signal: NodeJS.Signals | null,
  stderrTail: string,
): string {
  const what = {
    notStarted: 'could not be started',
    timedOut: 'took too long and was ended',
    failed: signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`,
  }[reason];
  const lastWords = stderrTail.trim();
  return `${file} ${what}${lastWords === '' ? '' : `: ${lastWords}`}`;
}
