import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type VscodeRelease, vscodeHost } from '../support/environment';
import { withoutVscode } from './environment';
import { type Settings, writeSettings } from './settings';

export interface ServerOptions {
  /** default: the newest */
  readonly release?: VscodeRelease;
  /** where settings, state and logs live; default: a temporary folder that `stop` removes */
  readonly userDataFolder?: string;
  /** holds installed extensions; default: an empty folder in the user data folder */
  readonly extensionsFolder?: string;
  /** user settings; only for a user data folder that has none yet */
  readonly settings?: Settings;
  /** environment variables over those of this process; the extension host inherits them */
  readonly environment?: NodeJS.ProcessEnv;
  /** `true`: an opened folder is in Restricted Mode until somebody trusts it */
  readonly workspaceTrust?: boolean;
  /**
   * `false`: the address of a window can't name extensions under development or tests. VS Code shows notifications
   * only then; otherwise they wait behind their bell.
   */
  readonly takesExtensionsFromAddress?: boolean;
  /** `true`: it waits for a window for as long as it takes */
  readonly staysWithoutWindow?: boolean;
}

/** A running VS Code server on 127.0.0.1. */
export interface Server {
  readonly pid: number;
  /** `127.0.0.1:PORT` */
  readonly authority: string;
  /** what a browser must show to be let in */
  readonly token: string;
  readonly userDataFolder: string;
  /** everything that the server has printed */
  log(): string;
  onLog(listener: (text: string) => void): void;
  /** `result` is the exit code or the signal */
  onExit(listener: (result: number | string) => void): void;
  /** Ends the server with all its processes; resolves when they are gone. */
  stop(): Promise<void>;
}

const startTimeoutMilliseconds = 60_000;
const stopGraceMilliseconds = 3000;

function serverArguments(options: ServerOptions, token: string, userDataFolder: string): string[] {
  return [
    join(vscodeHost(options.release).vscodeFolder, 'out/server-main.js'),
    ...['--host', '127.0.0.1', '--port', '0', '--connection-token', token],
    ...['--server-data-dir', userDataFolder, '--user-data-dir', userDataFolder],
    ...['--extensions-dir', options.extensionsFolder ?? join(userDataFolder, 'extensions')],
    '--accept-server-license-terms',
    // only with this does a built VS Code take extensionDevelopmentPath and extensionTestsPath from the address
    ...(options.takesExtensionsFromAddress === false ? [] : ['--enable-smoke-test-driver']),
    // no login shell is run to collect its environment
    '--force-disable-user-env',
    // should we be killed, the server ends by itself some minutes later
    ...(options.staysWithoutWindow
      ? []
      : ['--enable-remote-auto-shutdown', '--reconnection-grace-time', '60']),
    ...['--disable-telemetry', '--disable-experiments', '--disable-getting-started-override'],
    ...(options.workspaceTrust ? [] : ['--disable-workspace-trust']),
    ...['--log', 'info'],
  ];
}

/**
 * Starts the VS Code server; it listens when the promise resolves.
 *
 * @throws Error with what the server printed, when it ends at once or does not listen within a minute
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const userDataFolder = options.userDataFolder ?? mkdtempSync(join(tmpdir(), 'vscode-host-'));
  if (!existsSync(join(userDataFolder, 'User', 'settings.json'))) {
    writeSettings(userDataFolder, options.settings);
  }
  mkdirSync(options.extensionsFolder ?? join(userDataFolder, 'extensions'), { recursive: true });
  const token = randomBytes(16).toString('hex');
  const { nodeBinary } = vscodeHost(options.release);
  const child = spawn(nodeBinary, serverArguments(options, token, userDataFolder), {
    env: {
      ...withoutVscode(process.env),
      ...options.environment,
      // code-server's own: without a gallery here it would ask open-vsx.org
      EXTENSIONS_GALLERY: '{}',
      VSCODE_SKIP_BUILTIN_EXTENSIONS: 'GitHub.copilot-chat',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // a process group of its own, so that `stop` reaches extension host, pty host and watchers
    detached: true,
  });
  const output = collectOutput(child);
  const stop = async () => {
    await endProcessGroup(child);
    if (options.userDataFolder === undefined) {
      rmSync(userDataFolder, { recursive: true, force: true, maxRetries: 5 });
    }
  };
  try {
    const port = await listeningPort(child, output);
    const { pid } = child;
    if (pid === undefined) {
      throw new Error('the VS Code server has no process');
    }
    const onExit = (listener: (result: number | string) => void) => {
      child.on('exit', (code, signal) => {
        listener(code ?? signal ?? 'unknown');
      });
    };
    return {
      pid,
      authority: `127.0.0.1:${port}`,
      token,
      userDataFolder,
      log: output.text,
      onLog: output.onText,
      onExit,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Output {
  readonly text: () => string;
  readonly onText: (listener: (text: string) => void) => void;
}

function collectOutput(child: ChildProcess): Output {
  let all = '';
  const listeners: ((text: string) => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      all += text;
      for (const listener of listeners) {
        listener(text);
      }
    });
  }
  return {
    text: () => all,
    onText: (listener) => {
      listeners.push(listener);
    },
  };
}

function listeningPort(child: ChildProcess, output: Output): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      reject(new Error(`the VS Code server ${reason}:\n${output.text()}`));
    };
    const timer = setTimeout(() => {
      fail('did not start in time');
    }, startTimeoutMilliseconds);
    output.onText(() => {
      const port = /Extension host agent listening on (\d+)/.exec(output.text())?.[1];
      if (port !== undefined) {
        clearTimeout(timer);
        resolve(port);
      }
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      fail(`ended (${code ?? signal ?? 'unknown'})`);
    });
  });
}

async function endProcessGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) {
    return;
  }
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal);
    } catch {
      // the group is gone
    }
  };
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => {
        resolve();
      });
    });
    const timer = setTimeout(() => {
      kill('SIGKILL');
    }, stopGraceMilliseconds);
    kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }
  kill('SIGKILL');
}
