import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Gateway, GatewayListeners, GatewayOptions } from '../gateway/gateway';
import type { FromGateway, ToGateway } from '../gateway/threadMessages';

/** The bundle beside the supervisor's own. */
const defaultScript = join(__dirname, 'gateway.js');

/** Far more than 256 connections need; a thread that exceeds it ends alone, and its sandbox with it. */
const heapMegabytes = 256;

/**
 * How long its connections may take to close. What is left then ends with the thread, and that is not waited for: a
 * thread that looks up a name can't be ended before the name server has answered (measured: 8 s).
 */
const closeMilliseconds = 300;

/**
 * Runs a gateway in a thread of its own. Resolves when it listens.
 * @param script path of the bundled thread, when it does not lie beside the supervisor's
 * @throws Error with its reason when it can't
 */
export function startGatewayThread(
  options: GatewayOptions,
  listeners: GatewayListeners,
  script = defaultScript,
): Promise<Gateway> {
  const worker = new Worker(script, {
    workerData: options,
    // whom the site trusts besides (`systemAuthorities.ts`); the rest is not the gateway's business
    env: only('NODE_EXTRA_CA_CERTS'),
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  return new Promise((resolve, reject) => {
    let isListening = false;
    let isClosing = false;
    const exited = new Promise<void>((gone) => worker.once('exit', () => gone()));
    const fail = (error: Error): void => {
      if (isListening) {
        if (!isClosing) listeners.onFailure(error);
      } else {
        void worker.terminate();
        reject(error);
      }
    };
    worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => fail(new Error('the thread of the gateway ended')));
    worker.on('message', (message: FromGateway) => {
      switch (message.type) {
        case 'listening':
          isListening = true;
          resolve(handleOf(worker, message.modelPort, exited, () => (isClosing = true)));
          return;
        case 'failed':
          return fail(new Error(message.reason));
        case 'network':
          return listeners.onNetwork(message.entries);
        case 'model':
          return listeners.onModel(message.health);
        case 'closed':
          return;
      }
    });
  });
}

/** One variable of this process, if it has it. */
function only(name: string): Record<string, string> {
  const value = process.env[name];
  return value === undefined ? {} : { [name]: value };
}

/** @param exited resolves when the thread has ended, which it may have before anybody closes it */
function handleOf(
  worker: Worker,
  modelPort: number | undefined,
  exited: Promise<void>,
  onClosing: () => void,
): Gateway {
  const tell = (message: ToGateway): void => worker.postMessage(message);
  return {
    modelPort,
    setAllowedHosts: (hosts) => tell({ type: 'allowedHosts', hosts }),
    close: async () => {
      onClosing();
      tell({ type: 'close' });
      const patience = new AbortController();
      const late = delay(closeMilliseconds, undefined, { signal: patience.signal }).catch(() => undefined);
      await Promise.race([exited, late]);
      patience.abort();
      void worker.terminate();
      worker.unref();
    },
  };
}
