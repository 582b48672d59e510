import type { Services } from './services';

/** Opens what was verified of the running sandboxes, line by line. */
export async function showIsolationReport({ report, registry }: Services): Promise<void> {
  await report.show();
  registry.acknowledgeEnds();
}
