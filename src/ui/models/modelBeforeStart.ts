import * as vscode from 'vscode';
import { commandIds } from '../../contributions';
import type { ModelHealth, SignedUpstream } from '../../gateway/gateway';
import { checkModel } from '../../gateway/modelCheck';
import { modelHealthMessage } from '../../gateway/modelHealth';
import { signedUpstream } from '../../gateway/signedUpstream';
import { message } from '../../sandbox/message';
import { runsOpencode } from '../../sandbox/specification';
import { Cancelled, UserError } from '../../sandbox/userError';
import type { SupervisorInput } from '../../supervisor/input';
import type { Say } from '../say';
import { modelNetwork } from '../network/siteProxySetting';
import { translate } from '../translate';

/** Who waits for a window to open waits no longer than this for a model. */
const patienceMilliseconds = 4000;

/**
 * Looks before a start whether the model that opencode is going to use answers: opencode itself tries again for ever
 * and says nothing (measured with 1.18). An agent may be started without one; a task would only wait.
 * @throws UserError `model.none` for a task without a model; Cancelled when the user does not want to start so
 */
export async function checkModelBeforeStart(
  { specification, secrets }: SupervisorInput,
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  const { kind, access } = specification;
  if (!runsOpencode(kind) || kind === 'probes') return;
  const [model] = access.models;
  if (!model) {
    // what a network that is not ours to judge leads to is not known
    if (specification.network !== 'open') tellMissing(kind, say);
    return;
  }
  const health = await healthOf(signedUpstream(model, secrets), signal);
  const trouble = health && modelHealthMessage(health);
  if (!trouble) return;
  const text = message(
    '{0}. Until it answers, the agent waits without a word. Cancel to look at it, for example with “Configure Model…”.',
    translate(trouble),
  );
  if (!(await say.confirm(text, vscode.l10n.t('Start Anyway')))) {
    throw new Cancelled('the model did not answer');
  }
}

function tellMissing(kind: 'agent' | 'task', say: Say): void {
  const configure = { kind: 'runCommand', command: commandIds.configureModel } as const;
  if (kind === 'task') {
    throw new UserError(
      'model.none',
      message('There is no model for this folder that could do the task. Configure one first.'),
      configure,
    );
  }
  void say.information(
    message('There is no model for this folder, so the agent can’t answer. Configure one, then start again.'),
    configure,
  );
}

/** @returns undefined when nothing was found out in time: the gateway goes on looking */
async function healthOf(upstream: SignedUpstream, signal: AbortSignal): Promise<ModelHealth | undefined> {
  const patience = AbortSignal.timeout(patienceMilliseconds);
  try {
    return (await checkModel(upstream, modelNetwork(), AbortSignal.any([signal, patience]))).health;
  } catch (error) {
    if (signal.aborted) throw new Cancelled('the terminal was closed');
    if (patience.aborted) return undefined;
    throw error;
  }
}
