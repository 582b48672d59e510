import { openFileLimit } from '../host/openFiles';
import { Batch } from './batch';
import { createEgressProxy } from './egressProxy';
import type { Gateway, GatewayEffects, GatewayListeners, GatewayOptions } from './gateway';
import { createModelGateway } from './modelGateway';
import { shareConnections } from './shares';

/**
 * Runs a gateway in this thread. Resolves when it listens.
 * @throws what listening throws; nothing is left open then
 */
export async function runGateway(
  { egress, models, siteProxy }: GatewayOptions,
  effects: GatewayEffects,
  listeners: GatewayListeners,
): Promise<Gateway> {
  const site = siteProxy && { siteProxy };
  const attempts = new Batch(listeners.onNetwork);
  const shares = shareConnections(openFileLimit());
  const proxy =
    egress &&
    (await createEgressProxy({ ...egress, ...site, limits: shares.egress }, effects, (entry) =>
      attempts.add(entry),
    ));
  try {
    const model =
      models && (await createModelGateway({ ...models, ...site }, effects, listeners, shares.models));
    return {
      modelPort: model?.port,
      setAllowedHosts: (hosts) => proxy?.setAllowedHosts(hosts),
      close: async () => {
        await Promise.all([proxy?.close(), model?.close()]);
        // how what was open has ended
        attempts.flush();
      },
    };
  } catch (error) {
    await proxy?.close();
    throw error;
  }
}
