import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where nothing may be hidden by us; so few are as good as all. */
const mostHomes = 8;

/** Where the C library and systemd ask for names instead of the network: a way to name servers from every network. */
const resolvers = [
  '/run/nscd/socket',
  '/run/systemd/resolve/io.systemd.Resolve',
  '/run/dbus/system_bus_socket',
];

/** Home folders of other users: root's, and some of those that are beside the user's own. Nothing is opened. */
export function otherHomes(home: string): string[] {
  const parent = dirname(home);
  // beside /root is everything
  const beside = parent === '/' ? [] : namesIn(parent).map((name) => join(parent, name));
  return ['/root', ...beside.slice(0, mostHomes)].filter((path) => path !== home && existsSync(path));
}

/** Those that are there. */
export function resolverSockets(): string[] {
  return resolvers.filter((path) => existsSync(path));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
