/**
 * The thread of a gateway. It has one of its own, so that whatever the agent sends through it holds up neither the
 * terminal nor the verdicts of its supervisor.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { GatewayOptions } from './gateway';
import { realEffects } from './realEffects';
import { runGateway } from './runGateway';
import type { FromGateway, ToGateway } from './threadMessages';

function tell(message: FromGateway): void {
  parentPort?.postMessage(message);
}

async function main(): Promise<void> {
  const gateway = await runGateway(workerData as GatewayOptions, realEffects, {
    onNetwork: (entries) => tell({ type: 'network', entries }),
    onModel: (health) => tell({ type: 'model', health }),
    onFailure: (error) => tell({ type: 'failed', reason: error.message }),
  });
  parentPort?.on('message', (message: ToGateway) => {
    switch (message.type) {
      case 'allowedHosts':
        gateway.setAllowedHosts(message.hosts);
        return;
      case 'close':
        void gateway.close().finally(() => {
          tell({ type: 'closed' });
          parentPort?.close();
        });
    }
  });
  tell({ type: 'listening', modelPort: gateway.modelPort });
}

main().catch((error: unknown) => tell({ type: 'failed', reason: String(error) }));
