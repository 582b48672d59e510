import { Cancelled } from '../sandbox/userError';
import { loadNodePty } from './nodePty';

export interface PtyRequest {
  /** absolute path of the program */
  readonly file: string;
  readonly args: readonly string[];
  /** the whole environment of the process */
  readonly env: Readonly<Record<string, string>>;
  /** folders to load node-pty from */
  readonly ptyModules: readonly string[];
  /** ends the session: SIGINT, then SIGKILL */
  readonly signal?: AbortSignal | undefined;
  /** the last so many characters of what it prints are kept */
  readonly keptCharacters: number;
  readonly onText: (text: string) => void;
}

export interface PtyOutcome {
  /** null when a signal ended it */
  readonly exitCode: number | null;
  readonly signal: number | null;
  /** the end of what it printed, with everything that steers a terminal */
  readonly output: string;
}

/** A program that draws bars of its progress needs a width for them. */
const size = { cols: 120, rows: 30 };
/** As `runProcess` has it. */
const graceMilliseconds = 3000;

/**
 * Runs a program that shows its progress only on a terminal, on one of its own, until it has ended. It gets no input.
 * @throws Cancelled when `signal` was aborted, UserError `pty.notLoadable`
 */
export async function runInPty(request: PtyRequest): Promise<PtyOutcome> {
  const { signal, file, args, env, ptyModules, keptCharacters, onText } = request;
  if (signal?.aborted) throw new Cancelled(`${file} was not started`);
  const pty = loadNodePty(ptyModules).spawn(file, [...args], { ...size, cwd: '/', env: { ...env } });
  let output = '';
  pty.onData((text) => {
    output = (output + text).slice(-keptCharacters);
    onText(text);
  });
  let killTimer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    signalSession(pty.pid, 'SIGINT');
    killTimer = setTimeout(() => signalSession(pty.pid, 'SIGKILL'), graceMilliseconds);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const ended = await new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) => {
    pty.onExit(resolve);
  });
  clearTimeout(killTimer);
  signal?.removeEventListener('abort', onAbort);
  if (signal?.aborted) {
    // what ignored SIGINT but let go of the terminal
    signalSession(pty.pid, 'SIGKILL');
    throw new Cancelled(`${file} was cancelled`);
  }
  // 0 says that none did
  const killedBy = ended.signal === undefined || ended.signal === 0 ? null : ended.signal;
  return { exitCode: killedBy === null ? ended.exitCode : null, signal: killedBy, output };
}

/** The program leads a session, so its process group has its number. */
function signalSession(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // it is gone already
  }
}
