import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';

/** Loading 100 MB of program from a cold disk takes seconds; nothing is reached over a network. */
const startMilliseconds = 60_000;
const answerMilliseconds = 60_000;

/** Any: the sandbox's network is its own, and empty. */
const port = 4096;

/**
 * `opencode serve` on the sandbox's own loopback: the way in which opencode itself changes its sessions. No connection
 * is made before it says that it listens; an earlier one is never answered (measured with 1.18).
 */
export class OpencodeServer {
  private readonly password = randomBytes(16).toString('hex');
  private readonly child: ChildProcess;
  private readonly listening: Promise<void>;

  /** @param environment what opencode gets, without BUN_BE_BUN */
  constructor(environment: NodeJS.ProcessEnv) {
    this.child = spawn('opencode', ['serve', '--hostname', '127.0.0.1', '--port', String(port)], {
      cwd: '/tmp',
      env: { ...environment, OPENCODE_SERVER_PASSWORD: this.password },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.listening = new Promise((resolve, reject) => {
      const { stdout } = this.child;
      if (stdout)
        createInterface({ input: stdout }).on('line', (line) => line.includes('listening') && resolve());
      this.child.on('error', reject).on('exit', () => reject(new Error('opencode serve has ended')));
      setTimeout(() => reject(new Error('opencode serve does not listen')), startMilliseconds).unref();
    });
    this.listening.catch(() => undefined);
  }

  /** @throws Error when opencode does not do it */
  async request(method: string, path: string, body: object): Promise<void> {
    await this.answer(path, { method, body: JSON.stringify(body) });
  }

  /**
   * Whether opencode has something at a path, as its own description of itself says. Its answer at the path would not
   * tell: 1.2 asks a server of its makers about what it does not know, and says 500 without a network; 404 is also said
   * of a session that is not there.
   * @throws Error when it does not describe itself
   */
  async knows(path: string): Promise<boolean> {
    const { paths } = JSON.parse(await this.answer('/doc')) as { readonly paths: object };
    return Object.hasOwn(paths, path);
  }

  stop(): void {
    this.child.kill('SIGTERM');
  }

  private async answer(path: string, request: Pick<RequestInit, 'method' | 'body'> = {}): Promise<string> {
    await this.listening;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...request,
      headers: {
        authorization: `Basic ${Buffer.from(`opencode:${this.password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      signal: AbortSignal.timeout(answerMilliseconds),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`opencode answered ${response.status}`);
    return text;
  }
}
