import type { Bench } from './bench';
import { gatewayBench } from './gateway/gatewayBench';
import { guardBench } from './guard/guardBench';
import { sessionsBench } from './sessions/sessionsBench';
import { snapshotBench } from './snapshots/snapshotBench';

/** What `npm run bench` measures, by the name for `--only`. */
export const benches: Readonly<Record<string, Bench>> = {
  gateway: gatewayBench,
  guard: guardBench,
  sessions: sessionsBench,
  snapshot: snapshotBench,
};
