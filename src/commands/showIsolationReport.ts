import type { Services } from './services';

/** Opens what was verified of the running sandboxes, line by line. */
export function showIsolationReport({ report, registry }: Services): void {
  report.show();
  registry.acknowledgeEnds();
}
