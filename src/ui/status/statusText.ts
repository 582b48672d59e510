import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { NetworkMode } from '../../sandbox/specification';
import { isStale, type Verdict } from '../../sandbox/verdict';
import { findingsCount } from '../findings/findingRows';
import { type IndicatorInput, type IndicatorState, stateOrder } from './indicator';
import { modelTrouble, statusTooltip } from './statusTooltip';
import type { SandboxStatus } from '../../supervisor/protocol';

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
