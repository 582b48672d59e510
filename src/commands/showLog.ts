import type { Services } from './services';

/** Opens the log of the extension. */
export function showLog({ log }: Services): void {
  log.show();
}
