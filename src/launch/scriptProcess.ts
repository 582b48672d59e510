import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import * as v from 'valibot';
import { parseAs } from '../sandbox/parseAs';
import { finite } from '../sandbox/schemas';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import type { ScriptInput, ScriptReadyLine } from '../supervisor/scriptInput';

export interface ScriptStart extends ScriptInput {
  /** Node, or an editor's own program that can be Node */
  readonly nodePath: string;
  /** path of the bundled keeper, `supervisor/scriptMain.ts` */
  readonly keeper: string;
  /** the user's, of which only HOME is handed on */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onLog: (line: string) => void;
}

/** A line of ours is shorter by far; the sandbox's are cut before they are sent. */
const longestLine = 32 * 1024 * 1024;
/** As long as the keeper waits for a container, and some more. */
const readyMilliseconds = 130_000;

const readyLine = v.union([
  v.object({ ready: v.literal(true) }),
  v.object({
    ready: v.literal(false),
    code: v.string(),
    explanation: v.object({ text: v.string(), values: v.array(v.union([v.string(), finite])) }),
  }),
]) satisfies v.GenericSchema<unknown, ScriptReadyLine>;

/**
 * A script of ours in a sandbox, which answers orders with lines. Every line but those of our own keeper is hostile:
 * whoever listens checks it.
 */
export class ScriptProcess {
  private isReady = false;
  private received: Buffer[] = [];
  private receivedLength = 0;
  private readonly errors: string[] = [];
  /** resolves when it has ended, whatever for; with its exit status, if it has one */
  readonly ended: Promise<number | null>;
  private resolveReady: (line: ScriptReadyLine | undefined) => void = () => undefined;

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly onLine: (line: string) => void,
  ) {
    this.ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (this.errors.length < 100) this.errors.push(text.slice(0, 4000));
    });
  }

  /**
   * Starts a script and waits until it was verified and let go.
   * @param onLine is told every line that the script writes
   * @throws UserError
   */
  static async start(start: ScriptStart, onLine: (line: string) => void): Promise<ScriptProcess> {
    const { sandbox, script } = start;
    const child = spawn(start.nodePath, [start.keeper], {
      cwd: '/',
      // a group of its own: what is killed together with VS Code could clean up no more
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: keeperEnvironment(start.environment),
    });
    const started = new ScriptProcess(child, onLine);
    // an editor that was updated meanwhile is not where it was
    child.on('error', (error) => {
      started.errors.push(String(error));
      started.resolveReady(undefined);
    });
    started.send({ sandbox, script } satisfies ScriptInput);
    const line = await started.ready();
    if (line?.ready === true) return started;
    child.kill('SIGKILL');
    started.errors.forEach((text) => start.onLog(text.trimEnd()));
    const explanation =
      line?.explanation ??
      message('The process that reads sessions could not be started. The log says more.');
    throw new UserError(line?.code ?? 'sessions.silent', explanation, { kind: 'showLog' });
  }

  /** Sends one order. */
  send(order: object): void {
    this.child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  /** Ends the script; resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), closeMilliseconds);
    await this.ended;
    clearTimeout(timer);
  }

  private ready(): Promise<ScriptReadyLine | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), readyMilliseconds);
      this.resolveReady = (line) => {
        clearTimeout(timer);
        resolve(line);
      };
      void this.ended.then(() => this.resolveReady(undefined));
    });
  }

  private receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = Buffer.concat([...this.received, rest.subarray(0, end)]).toString('utf8');
      rest = rest.subarray(end + 1);
      this.received = [];
      this.receivedLength = 0;
      this.takeLine(line);
    }
    this.received.push(rest);
    this.receivedLength += rest.length;
    if (this.receivedLength > longestLine) {
      this.received = [];
      this.receivedLength = 0;
      this.child.kill('SIGKILL');
    }
  }

  private takeLine(line: string): void {
    if (this.isReady) {
      this.onLine(line);
      return;
    }
    this.isReady = true;
    try {
      this.resolveReady(parseAs(readyLine, JSON.parse(line)));
    } catch {
      this.resolveReady(undefined);
    }
  }
}

/** The keeper ends a container within two seconds; one that does not leaves it to its reaper. */
const closeMilliseconds = 5000;

function keeperEnvironment({ HOME }: ScriptStart['environment']): NodeJS.ProcessEnv {
  return {
    ...(HOME === undefined ? {} : { HOME }),
    PATH: '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    // an editor's program is Node only when asked to be
    ELECTRON_RUN_AS_NODE: '1',
  };
}
