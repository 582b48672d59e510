import type { Bench } from './bench';
import { extensionBench } from './editor/extensionBench';
import { terminalBench } from './editor/terminalBench';
import { gatewayBench } from './gateway/gatewayBench';
import { guardBench } from './guard/guardBench';
import { pullBench } from './images/pullBench';
import { attestBench } from './running/attestBench';
import { manyBench } from './running/manyBench';
import { stopBench } from './running/stopBench';
import { sessionsBench } from './sessions/sessionsBench';
import { snapshotBench } from './snapshots/snapshotBench';
import { startBench } from './start/startBench';

/** What `npm run bench` measures, by the name for `--only`. */
export const benches: Readonly<Record<string, Bench>> = {
  start: startBench,
  attest: attestBench,
  stop: stopBench,
  extension: extensionBench,
  terminal: terminalBench,
  many: manyBench,
  gateway: gatewayBench,
  guard: guardBench,
  sessions: sessionsBench,
  snapshot: snapshotBench,
  pull: pullBench,
};
