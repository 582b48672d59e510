import type { Message } from '../../sandbox/message';
import type { SandboxStatus, SandboxSummary } from '../../supervisor/protocol';

/** What the status bar item can say, from the most to the least alarming. */
export const stateOrder = [
  'broken',
  'degraded',
  'notVerified',
  'starting',
  'isolatedNetworkOpen',
  'isolated',
  'isolatedNoNetwork',
  'unavailable',
  'ready',
] as const;
export type IndicatorState = (typeof stateOrder)[number];

export interface ShownSandbox {
  readonly summary: SandboxSummary;
  readonly status: SandboxStatus;
  /** why nothing of it can be verified and nothing but Stop can be done, if so */
  readonly problem?: Message | undefined;
  /** what else is to be said of it */
  readonly notes?: readonly Message[] | undefined;
  /** hosts that are allowed until it ends, as `gateway/hostEntry.ts` writes them; undefined when that is not known */
  readonly allowedOnce?: readonly string[] | undefined;
}

export interface IndicatorInput {
  readonly sandboxes: readonly ShownSandbox[];
  /** how many are being started and have no supervisor that answers yet */
  readonly starting: number;
  /** why nothing can be started here, if so */
  readonly obstacle?: Message | undefined;
  /** how many findings wait for an answer; default: none */
  readonly findings?: number | undefined;
  /** the check of the setup says more about the obstacle */
  readonly isSetupObstacle?: boolean;
  /** what the last attempt to get out has shown */
  readonly proof?: Message | undefined;
  /** milliseconds since the epoch */
  readonly now: number;
}
