import { connect } from 'node:net';
import { parse } from 'jsonc-parser';
import * as v from 'valibot';
import { tryParse } from '../../src/sandbox/parseAs';
import { record } from '../../src/sandbox/schemas';
import { readProjectConfiguration } from '../../src/opencode/projectConfiguration';
import { connects } from '../setup/reachable';
import { isDemoConfigurationText } from './demoConfiguration';

/**
 * What a folder's opencode.json says of models. `none`: nothing (or only our demo model, which is gone). `unreachable`:
 * all the servers that it names refuse a connection. Hosted providers, which it names without an address, count as
 * reachable: only opencode knows where they are.
 */
export type ProjectModel =
  | { readonly kind: 'none' }
  | { readonly kind: 'configured' }
  | { readonly kind: 'unreachable'; readonly addresses: readonly string[] };

/** A model server on the other side of the world answers in less. */
const connectMilliseconds = 3000;

const provider = v.object({
  options: v.fallback(v.optional(v.object({ baseURL: v.string() })), undefined),
});
const configuration = v.object({
  model: v.fallback(v.optional(v.string()), undefined),
  // the library takes a list for an object
  provider: v.fallback(
    v.optional(record(v.string(), v.pipe(record(v.string(), v.unknown()), provider))),
    undefined,
  ),
});

/**
 * Reads a folder's configuration of opencode and tries its model servers.
 * @throws UserError when the configuration can't be read safely
 */
export async function findProjectModel(folder: string): Promise<ProjectModel> {
  const texts = (await readProjectConfiguration(folder)).filter((text) => !isDemoConfigurationText(text));
  const projects = texts.map(parseConfiguration);
  const providers = projects.flatMap(({ provider }) => Object.values(provider ?? {}));
  if (providers.length === 0) {
    return { kind: projects.some(({ model }) => model !== undefined) ? 'configured' : 'none' };
  }
  const addresses = providers.map(({ options }) => options?.baseURL);
  const reachable = await Promise.all(
    addresses.map(async (address) => address === undefined || (await isReachable(address))),
  );
  return reachable.includes(true)
    ? { kind: 'configured' }
    : { kind: 'unreachable', addresses: addresses.filter((address) => address !== undefined) };
}

function parseConfiguration(text: string): v.InferOutput<typeof configuration> {
  try {
    return tryParse(configuration, parse(text)) ?? {};
  } catch (error) {
    // the parser recurses: a text of brackets only exhausts the stack
    if (error instanceof RangeError) {
      return {};
    }
    throw error;
  }
}

/** An address with a variable of opencode's in it can't be judged here. */
function isReachable(address: string): Promise<boolean> {
  if (!URL.canParse(address) || address.includes('{')) {
    return Promise.resolve(true);
  }
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || (protocol === 'http:' ? 80 : 443)) });
  return connects(socket, 'connect', connectMilliseconds);
}
