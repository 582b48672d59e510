import type { ModelUpstream, SandboxSecrets } from '../sandbox/networkAccess';
import type { SignedUpstream } from './gateway';

/** A model with its key, if it has one. An id like `constructor` has only a key of its own. */
export function signedUpstream(
  model: ModelUpstream,
  { modelKeys }: Pick<SandboxSecrets, 'modelKeys'>,
): SignedUpstream {
  const key = Object.hasOwn(modelKeys, model.providerId) ? modelKeys[model.providerId] : undefined;
  return { ...model, ...(key !== undefined && { key }) };
}
