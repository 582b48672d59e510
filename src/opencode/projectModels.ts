import { type ModelAddress, normaliseModelAddress } from '../gateway/modelAddress';
import { message } from '../sandbox/message';
import {
  asObject,
  type Hostile,
  layeredObject,
  modelIdPattern,
  objectIn,
  parseObject,
  stringIn,
} from './hostileJson';
import { maximumProviders, providersNamedIn } from './managedConfiguration';

/** What a project's configuration says of a provider of models. Hostile, but for the ids, which are plain. */
export interface ProjectProvider {
  readonly id: string;
  /** whether it stands under `provider`; else only a model of it was chosen */
  readonly isDefined: boolean;
  readonly npm?: string;
  /** absent when the files name none, as for providers that opencode knows */
  readonly address?: ModelAddress;
  /** a key that stands in the file itself and is no placeholder */
  readonly literalKey?: string;
  /** whether a header is set that could stand for a key, which the gateway does not let through */
  readonly setsKeyHeader: boolean;
  readonly models: readonly ProjectModel[];
}

export interface ProjectModel {
  readonly id: string;
  /** tokens */
  readonly context?: number;
  readonly output?: number;
}

const packageName = /^[@\w./-]{1,128}$/;
/** As the gateway takes them for one (`gateway/modelToken.ts`). */
const keyHeader = /^(?:authorization|x-api-key|api-key)$/i;
const maximumModels = 200;

/**
 * The providers that a project names: those it defines, then those of which it only chooses a model.
 * @param texts content of the project's configurations in the order in which opencode merges them; hostile, and may
 *   not even be JSON
 */
export function projectProviders(texts: readonly string[]): ProjectProvider[] {
  const projects = texts.map(parseObject);
  const { defined, chosen } = providersNamedIn(projects);
  const isDefined = new Set(defined);
  return [...new Set([...defined, ...chosen])]
    .slice(0, maximumProviders)
    .map((id) => ({ id, isDefined: isDefined.has(id), ...readProvider(projects, id) }));
}

function readProvider(projects: readonly Hostile[], id: string): Omit<ProjectProvider, 'id' | 'isDefined'> {
  const settings = layeredObject(projects, 'provider', id);
  const options = layeredObject(projects, 'provider', id, 'options');
  const models = Object.entries(layeredObject(projects, 'provider', id, 'models'));
  const npm = stringIn(settings, 'npm');
  // what opencode does with an empty one
  const address = stringIn(options, 'baseURL') || stringIn(settings, 'api');
  const key = stringIn(options, 'apiKey');
  const headers = [options, ...models.map(([, model]) => asObject(model))].flatMap((object) =>
    Object.keys(objectIn(object, 'headers')),
  );
  return {
    ...(npm !== undefined && packageName.test(npm) ? { npm } : {}),
    ...(address ? { address: readAddress(address) } : {}),
    ...(key !== undefined && isKey(key) ? { literalKey: key } : {}),
    setsKeyHeader: headers.some((name) => keyHeader.test(name)),
    models: models
      .filter(([model]) => modelIdPattern.test(model))
      .slice(0, maximumModels)
      .map(([model, value]) => readModel(model, asObject(value))),
  };
}

/** More than the URL parser, which takes `$(x)` for a host. */
const plainHost = /^(?:[a-z0-9._-]+|\[[\da-f:.]+\])$/;
/** Characters. A name of DNS may have 253, but who is asked about one has to be able to read it. */
const maximumHostLength = 80;

function readAddress(text: string): ModelAddress {
  const address = normaliseModelAddress(text);
  if ('refused' in address) return address;
  const { hostname } = new URL(address.baseUrl);
  if (hostname.length > maximumHostLength) {
    return { refused: message('The host of the base URL is longer than {0} characters.', maximumHostLength) };
  }
  if (plainHost.test(hostname)) return address;
  return { refused: message('The base URL names no host and port that can be reached.') };
}

function readModel(id: string, model: Hostile): ProjectModel {
  const { context, output } = objectIn(model, 'limit');
  return { id, ...(isCount(context) ? { context } : {}), ...(isCount(output) ? { output } : {}) };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** What people write where a key belongs when there is none: as in tutorials, and for servers that want none. */
const placeholders = [
  /^(?:|none|null|no|na|n\/a|empty|dummy|fake|test|example|placeholder|changeme|change-me|todo|public|local|anything)$/i,
  /^(?:key|api[-_ ]?key|token|secret|password|ollama|vllm|lm[-_ ]?studio|llama(?:\.cpp)?)$/i,
  /^(?:your|my|the|insert|paste|put|replace|enter|not|no)[-_ ]/i,
  /^<.*>$|^\[.*\]$|^\{.*\}$|\.\.\.|…/,
  /^(?:sk-)?(?:x+|\*+|-+|0+|1234.*)$/i,
  // filled in by opencode inside of the sandbox, where no key is
  /\{(?:env|file):/,
];

/** Whether a text can be a key: something that fits into a header, and not what stands in the place of one. */
export function isKey(text: string): boolean {
  return (
    /^[\u0021-\u007e]{1,4096}$/.test(text) && !placeholders.some((placeholder) => placeholder.test(text))
  );
}
