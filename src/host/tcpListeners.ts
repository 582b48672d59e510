import { readProc } from './procfs';

/** LISTEN in the column `st` (include/net/tcp_states.h of Linux). */
const listening = '0A';

/**
 * Local addresses on which 127.0.0.1 is served, as the kernel prints them on a little-endian machine (proc_net_tcp.txt):
 * 127.0.0.1, 0.0.0.0, `::`, and both as mapped addresses of IPv6.
 */
const servingLoopback = new Set([
  '0100007F',
  '0'.repeat(8),
  '0'.repeat(32),
  '0000000000000000FFFF00000100007F',
  '0000000000000000FFFF000000000000',
]);

/**
 * The users whose sockets take connections to 127.0.0.1 on a port.
 * @param table content of /proc/net/tcp or /proc/net/tcp6
 * @returns their ids, each as often as there are sockets
 */
export function listenerUids(table: string, port: number): number[] {
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => {
      const [address = '', localPort = ''] = local.split(':');
      return state === listening && Number.parseInt(localPort, 16) === port && servingLoopback.has(address);
    })
    .map((columns) => Number(columns[7]));
}

/** The users who listen for connections to 127.0.0.1 on a port now; undefined where the kernel does not tell. */
export function loopbackListenerUids(port: number): number[] | undefined {
  const tables = [readProc('net/tcp'), readProc('net/tcp6')].filter((table) => table !== undefined);
  return tables.length === 0 ? undefined : tables.flatMap((table) => listenerUids(table, port));
}
