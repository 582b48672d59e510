/**
 * Runs inside the sandbox, under the image's own Bun (`BUN_BE_BUN=1 opencode main.mjs SOCKET`), started by the gate
 * after the sandbox was verified. It is told over the socket what to run, runs it on the terminal that it was given,
 * and kills it when the socket closes: then the supervisor is gone. Before that it opens the ports on 127.0.0.1 behind
 * which the gateway is: the sandbox has no other network. It imports nothing of ours, and starts in `/`, because Bun
 * would run a bunfig.toml or .env of the folder it starts in.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { createConnection, createServer, type Socket } from 'node:net';

/** Exit status when the supervisor went away; no shell or opencode uses it. */
const supervisorGone = 87;

/** Exit status when a port could not be opened: without it the agent would wait for its model for ever. */
const noForward = 88;

/** Exit status when this opencode is too old. */
const tooOld = 89;

/**
 * opencode 1.1.34 and older ignore the configuration in /etc/opencode, so that prompts could go to models that nobody
 * chose; 1.1.56 and later do not. The former have Bun 1.3.5 or older, the latter 1.3.8 or later (all measured), and
 * to ask opencode itself would take a second.
 */
const oldestBun = '1.3.6';

interface Forward {
  readonly port: number;
  readonly socket: string;
}

interface Order {
  readonly command: readonly [string, ...string[]];
  readonly directory: string;
  readonly input?: string;
  readonly forwards: readonly Forward[];
}

/** Passes connections to a port on 127.0.0.1 on to a unix socket. Resolves when the port is open. */
function forward({ port, socket: path }: Forward): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = createConnection({ path, allowHalfOpen: true });
    join(near, far);
    join(far, near);
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** What comes from one end goes to the other; an end that breaks breaks the other one, too. */
function join(from: Socket, to: Socket): void {
  from.on('error', () => to.destroy());
  from.on('close', (hadError) => {
    if (hadError || !to.writableEnded) to.destroy();
  });
  from.pipe(to);
}

function run(order: Order): ChildProcess {
  const [file, ...args] = order.command;
  const { BUN_BE_BUN, ...environment } = process.env;
  const child = spawn(file, args, {
    cwd: order.directory,
    env: { ...environment, PWD: order.directory },
    stdio: [order.input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
  });
  // a program that does not read its input to the end is none the worse for it
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(order.input);
  child.on('error', (error) => {
    process.stderr.write(`${file}: ${error.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
  });
  return child;
}

function isTooOld(): boolean {
  return (process.versions['bun'] ?? '').localeCompare(oldestBun, 'en', { numeric: true }) < 0;
}

function listen(socketPath: string): void {
  let child: ChildProcess | undefined;
  let received = '';
  const start = (order: Order): void => {
    if (order.command[0] === 'opencode' && isTooOld()) {
      process.exit(tooOld);
    }
    Promise.all(order.forwards.map(forward)).then(
      () => {
        child = run(order);
      },
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(noForward);
      },
    );
  };
  const socket = createConnection(socketPath);
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    received += text;
    for (let end = received.indexOf('\n'); end >= 0; end = received.indexOf('\n')) {
      const line = JSON.parse(received.slice(0, end)) as Order | { readonly terminate: true };
      received = received.slice(end + 1);
      if ('command' in line) {
        start(line);
      } else {
        child?.kill('SIGTERM');
      }
    }
  });
  const giveUp = (): void => {
    child?.kill('SIGKILL');
    process.exit(supervisorGone);
  };
  socket.on('close', giveUp);
  socket.on('error', giveUp);
}

// Ctrl+C and its like are for the program in the foreground; the terminal sends them to us too
for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTSTP', 'SIGHUP', 'SIGTERM'] as const) {
  process.on(signal, () => undefined);
}
listen(process.argv[2] ?? '');
