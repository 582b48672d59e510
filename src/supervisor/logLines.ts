import type { ModelHealth } from '../gateway/gateway';
import { modelHealthMessage } from '../gateway/modelHealth';
import type { LaunchPlan } from '../sandbox/launchPlan';
import { formatMessage } from '../sandbox/message';
import type { Verdict } from '../sandbox/verdict';
import type { SandboxStatus } from './protocol';

/** The start of a sandbox, for the log: what is run, as data. Values of variables are left out. */
export function logStart({ file, arguments: words, environment }: LaunchPlan): string {
  const names = Object.keys(environment).join(' ');
  return `starting ${JSON.stringify([file, ...words])} with the variables ${names}`;
}

/** A change of phase, for the log; `undefined` when only the verdict was renewed. */
export function logStatus(status: SandboxStatus, before: SandboxStatus | undefined): string[] {
  const isNew = status.verdict?.state !== before?.verdict?.state;
  const verdict = isNew && status.verdict ? logVerdict(status.verdict) : [];
  const phase = status.phase === before?.phase ? [] : [`phase: ${status.phase}`];
  return [...verdict, ...phase, ...(status.end ? [logEnd(status.end)] : [])];
}

function logVerdict({ state, lines }: Verdict): string[] {
  const facts = lines.map((line) => `  ${line.fact}: ${line.status}: ${formatMessage(line.detail)}`);
  return [`verdict: ${state}`, ...facts];
}

/** How the models are doing, for the log. */
export function logModels(models: readonly ModelHealth[]): string {
  const words = models.map((health) => {
    const trouble = modelHealthMessage(health);
    return `${health.providerId} ${trouble ? formatMessage(trouble) : health.state}`;
  });
  return `models: ${words.join('; ')}`;
}

function logEnd({ reason, exitCode, explanation, diagnostics }: NonNullable<SandboxStatus['end']>): string {
  const why = explanation ? `: ${formatMessage(explanation)}` : '';
  const said = diagnostics ? `\nApptainer said: ${JSON.stringify(diagnostics)}` : '';
  return `ended: ${reason}, status ${exitCode ?? 'none'}${why}${said}`;
}
