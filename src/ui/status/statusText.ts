import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { NetworkMode } from '../../sandbox/specification';
import { isStale, type Verdict } from '../../sandbox/verdict';
import { findingsCount } from '../findings/findingRows';
import { modelTrouble, statusTooltip } from './statusTooltip';
import type { SandboxStatus, SandboxSummary } from '../../supervisor/protocol';

/** What the status bar item can say, from the most to the least alarming. */
const stateOrder = [
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

/** Everything about the status bar item but the item. */
export interface Indicator {
  readonly state: IndicatorState;
  /** without the icon */
  readonly text: string;
  /** a product icon's id */
  readonly icon: string;
  /** lines of plain text */
  readonly tooltip: string;
}

/**
 * The indicator for the sandboxes of a window: that of the worst, and never more than what was verified just now.
 * @param render turns a message into text that is safe to show
 */
export function indicatorFor(input: IndicatorInput, render: typeof formatMessage): Indicator {
  const states = input.sandboxes.map(({ status }) => sandboxState(status, input.now));
  if (input.starting > 0) {
    states.push('starting');
  }
  if (states.length === 0) {
    states.push(input.obstacle ? 'unavailable' : 'ready');
  }
  const state = stateOrder.find((candidate) => states.includes(candidate)) ?? 'notVerified';
  const { text, icon } = looks[state];
  const { findings = 0 } = input;
  const trouble = input.sandboxes.some(({ status }) => modelTrouble(status, input.now, render).length > 0);
  return {
    state,
    text: [
      render(text),
      ...(trouble ? [render(modelUnreachable)] : []),
      ...(findings > 0 ? [render(findingsCount(findings))] : []),
    ].join(', '),
    icon,
    tooltip: statusTooltip(input, state, render),
  };
}

const modelUnreachable = message('model unreachable');

/** The state of one sandbox at a moment in milliseconds since the epoch. */
export function sandboxState({ phase, verdict, end }: SandboxStatus, now: number): IndicatorState {
  if (verdict?.state === 'broken' || end?.reason === 'broken' || end?.reason === 'refused') {
    return 'broken';
  }
  if (phase === 'starting') {
    return 'starting';
  }
  if (!verdict || isStale(verdict, now)) {
    return 'notVerified';
  }
  if (verdict.state === 'degraded') {
    return 'degraded';
  }
  return isolatedStates[verdict.network];
}

/** By what the kernel shows of the network, and what the gateway lets through. */
const isolatedStates: Readonly<Record<NetworkMode, IndicatorState>> = {
  open: 'isolatedNetworkOpen',
  restricted: 'isolated',
  none: 'isolatedNoNetwork',
};

/** The product icon that stands for a state. */
export function stateIcon(state: IndicatorState): string {
  return looks[state].icon;
}

const looks: Readonly<Record<IndicatorState, { readonly text: Message; readonly icon: string }>> = {
  broken: { text: message('Agent: sandbox broken'), icon: 'error' },
  degraded: { text: message('Agent: sandbox degraded'), icon: 'warning' },
  notVerified: { text: message('Agent: not verified'), icon: 'question' },
  starting: { text: message('Agent: starting'), icon: 'loading~spin' },
  isolatedNetworkOpen: { text: message('Agent: isolated, network open'), icon: 'globe' },
  isolated: { text: message('Agent: isolated'), icon: 'shield' },
  isolatedNoNetwork: { text: message('Agent: isolated, no network'), icon: 'shield' },
  unavailable: { text: message('Agent: unavailable'), icon: 'circle-slash' },
  ready: { text: message('Agent: ready'), icon: 'shield' },
};

/** What is said before the lines of a verdict that is too old. */
export function lastVerified(verdict: Verdict): Message {
  return message(
    'Last verified from the host’s kernel facts at {0}, which says nothing about now:',
    timeOf(verdict),
  );
}

function timeOf({ time }: Verdict): string {
  return new Date(time).toLocaleTimeString();
}
