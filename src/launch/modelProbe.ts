import type { SignedUpstream } from '../gateway/gateway';
import { checkModel, type ModelCheck } from '../gateway/modelCheck';
import type { ModelNetwork } from '../gateway/modelConnection';

/** What a server of models showed, and what that says of the key. */
export interface ModelProbe extends ModelCheck {
  /** whether it took the key, and would not have answered without it; false when there is none */
  readonly isKeyTested: boolean;
}

/**
 * Asks a server for its list of models, and once more without the key: one that lists them for everybody has said
 * nothing of the key.
 * @throws the reason of `signal`, when that was aborted
 */
export async function probeModel(
  upstream: SignedUpstream,
  network: ModelNetwork,
  signal: AbortSignal,
): Promise<ModelProbe> {
  const check = await checkModel(upstream, network, signal);
  if (check.models === undefined || upstream.authentication === 'none') {
    return { ...check, isKeyTested: false };
  }
  const { providerId, baseUrl } = upstream;
  const withoutKey = await checkModel({ providerId, baseUrl, authentication: 'none' }, network, signal);
  return { ...check, isKeyTested: withoutKey.models === undefined };
}
