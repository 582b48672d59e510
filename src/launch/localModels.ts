import { realEffects } from '../gateway/realEffects';
import { checkModel } from '../gateway/modelCheck';
import { loopbackListenerUids } from '../host/tcpListeners';

/** A program that serves models on this computer. */
export interface LocalServer {
  readonly name: string;
  /** for opencode's configuration; opencode's own catalogue has none of these */
  readonly providerId: string;
  readonly baseUrl: string;
}

/** A local server that answered. Its models are hostile as everything from a server is, but plain. */
export interface FoundServer extends LocalServer {
  readonly models: readonly string[];
}

/** The usual ones on the ports that their documentation names. Below `/v1` all of them speak OpenAI's API. */
export const localServers: readonly LocalServer[] = [
  { name: 'Ollama', providerId: 'local-ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'llama.cpp', providerId: 'local-llamacpp', baseUrl: 'http://127.0.0.1:8080/v1' },
  { name: 'vLLM', providerId: 'local-vllm', baseUrl: 'http://127.0.0.1:8000/v1' },
  { name: 'LM Studio', providerId: 'local-lmstudio', baseUrl: 'http://127.0.0.1:1234/v1' },
];

/** They are on this computer. */
const patienceMilliseconds = 2000;

/**
 * Which of these servers answer, with the models that they have. A server of another user is left out: whoever uses
 * this computer can listen on a port, and would read the prompts.
 * @throws the reason of `signal`, when that was aborted
 */
export async function findLocalServers(
  servers: readonly LocalServer[],
  signal: AbortSignal,
): Promise<FoundServer[]> {
  const offered = servers.filter(({ baseUrl }) =>
    isOffered(loopbackListenerUids(Number(new URL(baseUrl).port)), process.getuid?.()),
  );
  const found = await Promise.all(offered.map((server) => ask(server, signal)));
  return found.filter((server) => server !== undefined);
}

/** Ids below are of the system and its services (login.defs(5), SYS_UID_MAX). */
const firstUserId = 1000;

/**
 * Whether a server is one of this user or of the system.
 * @param listeners ids of the users who listen on its port; undefined when that is not known. None is no stranger:
 *   the kernel leads the port elsewhere then, which only the system can ask of it.
 */
export function isOffered(listeners: readonly number[] | undefined, ownId: number | undefined): boolean {
  return listeners?.every((id) => id === ownId || id < firstUserId) ?? false;
}

async function ask(server: LocalServer, signal: AbortSignal): Promise<FoundServer | undefined> {
  const patience = AbortSignal.timeout(patienceMilliseconds);
  const upstream = { ...server, authentication: 'none' } as const;
  try {
    const { models } = await checkModel(
      upstream,
      { effects: realEffects },
      AbortSignal.any([signal, patience]),
    );
    return models && { ...server, models };
  } catch (error) {
    signal.throwIfAborted();
    if (patience.aborted) return undefined;
    throw error;
  }
}
