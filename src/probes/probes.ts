import { environmentProbes } from './groups/environment';
import { hostExecutedProbes } from './groups/hostExecuted';
import { limitProbes } from './groups/limits';
import { networkProbes } from './groups/network';
import { privilegeProbes } from './groups/privilege';
import { processProbes } from './groups/process';
import { readProbes } from './groups/read';
import { selfDowngradeProbes } from './groups/selfDowngrade';
import { terminalProbes } from './groups/terminal';
import { writeProbes } from './groups/write';
import type { Probe } from './probe';

/** The whole battery, in the order in which it is tried and shown. What changes files for good comes late. */
export const probes: readonly Probe[] = [
  ...readProbes,
  ...writeProbes,
  ...environmentProbes,
  ...processProbes,
  ...privilegeProbes,
  ...networkProbes,
  ...hostExecutedProbes,
  ...terminalProbes,
  ...selfDowngradeProbes,
  ...limitProbes,
];
