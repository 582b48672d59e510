import { createConnection } from 'node:net';
import { listProc, readProcLink } from './procfs';

/** Services of a desktop that take commands from whoever has the user's uid, or from anybody. */
export type HostService = 'X server' | 'message bus';

/** A socket on which somebody listens, in the network namespace and not in a folder (unix(7)). */
export interface AbstractSocket {
  /** without the leading `@` that stands for a NUL; the kernel shows further NULs as `@` too */
  readonly name: string;
  readonly inode: string;
}

/** __SO_ACCEPTCON of Flags: somebody listens (net/unix/af_unix.c); type 1 is a stream. */
const listening = /^\S+ \S+ \S+ 00010000 0001 \S+ +(\d+) @(.*)$/gm;

/** The abstract sockets in /proc/PID/net/unix (proc_pid_net(5)) on which somebody listens. */
export function listeningAbstractSockets(table: string): AbstractSocket[] {
  return [...table.matchAll(listening)].map(([, inode = '', name = '']) => ({ name, inode }));
}

/**
 * Which of these sockets belong to a service that lets us in, and would let a program in an open network do what it
 * likes outside of its sandbox: a message bus of the user's own, which takes the uid for a proof, or an X server that
 * asks for no cookie.
 */
export async function findHostServices(sockets: readonly AbstractSocket[]): Promise<HostService[]> {
  const buses = sockets.filter(({ name }) => /dbus/i.test(name));
  const displays = sockets.flatMap(({ name }) => /^\/tmp\/\.X11-unix\/X\d+/.exec(name) ?? []);
  const own = buses.length > 0 ? ownSockets() : new Set<string>();
  const isOpen = await Promise.all(displays.map(letsAnybodyIn));
  return [
    ...(buses.some(({ inode }) => own.has(`socket:[${inode}]`)) ? (['message bus'] as const) : []),
    ...(isOpen.includes(true) ? (['X server'] as const) : []),
  ];
}

/** All sockets of this user's processes; those of others can't be looked at. */
function ownSockets(): Set<string> {
  const pids = (listProc('') ?? []).filter((name) => /^\d+$/.test(name));
  return new Set(
    pids.flatMap((pid) =>
      (listProc(`${pid}/fd`) ?? []).flatMap((descriptor) => readProcLink(`${pid}/fd/${descriptor}`) ?? []),
    ),
  );
}

/** A server on this computer answers at once. */
const answerMilliseconds = 500;

/** The first message of the X protocol: least significant byte first, version 11.0, without authorisation. */
const greeting = Uint8Array.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/**
 * Whether an X server lets us in without a cookie. It is asked at its socket in /tmp, which has the same rights as
 * the abstract one: Node can't connect to abstract names of less than full length.
 */
function letsAnybodyIn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(answerMilliseconds, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    // 1: let in; 0: not; 2: more is asked for (X protocol, "Connection Setup")
    socket.once('data', (data: Buffer) => settle(data[0] === 1));
    socket.write(greeting);
  });
}
