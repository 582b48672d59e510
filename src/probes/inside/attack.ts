import { appendFileSync, closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import { createConnection, type NetConnectOpts } from 'node:net';
import type { Plan } from '../plan';
import type { SystemCalls } from './systemCalls';

/** What the inside of a probe works with. Nothing of it is there on the host. */
export interface Attack {
  readonly plan: Plan;
  /** a port, or a socket's name or path: where the host waits for this probe */
  readonly door: string;
  readonly system: SystemCalls;
  /** writes to the terminal */
  readonly print: (text: string) => void;
}

/** Files are read that far; what is hidden is at the beginning. */
const longestRead = 65_536;

/** A refusal comes at once; this is for who does not answer at all. */
export const answerMilliseconds = 700;

/** Who has begun to answer goes on at once. */
const furtherMilliseconds = 150;

/** What an attempt gives, or the code with which the kernel refused. Other errors are the probe's own. */
export function attempt(work: () => string): string {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    return code;
  }
}

/** The beginning of a file, or why it can't be read. */
export function read(path: string): string {
  return attempt(() => {
    const descriptor = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(longestRead);
      return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, longestRead, null));
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Changes a file, or makes it. Gives the code with which that was refused, if it was. */
export function write(path: string): string {
  return attempt(() => {
    appendFileSync(path, 'changed by a probe\n');
    return 'written';
  });
}

/** By the call itself: Bun's own leaves the bits out that matter. AT_FDCWD of <fcntl.h> is -100. */
export function changeMode(system: SystemCalls, path: string, mode: number): string {
  return String(system.call('fchmodat', -100, path, mode));
}

/** The names in a folder, or why they can't be read. */
export function list(path: string): string {
  return attempt(() => readdirSync(path).join('\n'));
}

/** The beginnings of many files. */
export function readAll(paths: readonly string[]): string {
  return paths.map((path) => `${path}: ${read(path)}`).join('\n');
}

/** The processes that can be seen. */
export function processes(): string[] {
  return list('/proc')
    .split('\n')
    .filter((name) => /^\d+$/.test(name));
}

/** Connects, sends a text and gives what comes back, or the code with which it was refused. */
export function connect(options: NetConnectOpts, text = 'probe\n'): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = createConnection(options, () => socket.write(text));
    const finish = (why: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(`${answer.slice(0, 2000)} ${why}`);
    };
    let timer = setTimeout(() => finish('no answer'), answerMilliseconds);
    socket.on('data', (data) => {
      answer += data.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(() => finish('no more'), furtherMilliseconds);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
    socket.on('close', () => finish('closed'));
  });
}

/** Sends one datagram. */
export function sendDatagram(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.send('probe', port, host, (error: NodeJS.ErrnoException | null) => {
      socket.close();
      resolve(error?.code ?? 'sent');
    });
  });
}

/** The proxy that programs here are told of, with the header by which it knows them. */
function proxy(): { readonly host: string; readonly port: number; readonly header: string } | undefined {
  const value = process.env['HTTP_PROXY'] ?? process.env['http_proxy'];
  if (value === undefined) return undefined;
  const { hostname, port, username, password } = new URL(value);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return {
    host: hostname,
    port: Number(port),
    header: username === '' ? '' : `Proxy-Authorization: Basic ${credentials.toString('base64')}\r\n`,
  };
}

/** Speaks to the proxy. @param text one or more requests of HTTP/1.1 */
export function askProxy(text: string): Promise<string> {
  const known = proxy();
  if (!known) return Promise.resolve('no proxy');
  const { host, port, header } = known;
  return connect({ host, port }, text.replaceAll(' HTTP/1.1\r\n', ` HTTP/1.1\r\n${header}`));
}
