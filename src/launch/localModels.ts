import { realEffects } from '../gateway/realEffects';
import { checkModel } from '../gateway/modelCheck';

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
 * Which of these servers answer, with the models that they have.
 * @throws the reason of `signal`, when that was aborted
 */
export async function findLocalServers(
  servers: readonly LocalServer[],
  signal: AbortSignal,
): Promise<FoundServer[]> {
  const found = await Promise.all(servers.map((server) => ask(server, signal)));
  return found.filter((server) => server !== undefined);
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
