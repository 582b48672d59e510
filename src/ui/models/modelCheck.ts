import * as vscode from 'vscode';
import { type CommandId, commandIds } from '../../contributions';
import type { ModelHealth, SignedUpstream } from '../../gateway/gateway';
import { modelHealthMessage } from '../../gateway/modelHealth';
import { type ModelProbe, probeModel } from '../../launch/modelProbe';
import { message } from '../../sandbox/message';
import { Cancelled, type RemedyAction, UserError } from '../../sandbox/userError';
import type { Say } from '../say';
import { modelNetwork } from '../network/siteProxySetting';

/** A server that answered, and did not refuse the key. */
export type GoodCheck = ModelProbe & { readonly latencyMilliseconds: number };

/**
 * Asks a server of models one small thing, with the key, and shows progress meanwhile.
 * @throws UserError `model.keyRefused` or `model.unreachable`, with the reason in words of ours; Cancelled
 */
export async function checkWithProgress(upstream: SignedUpstream): Promise<GoodCheck> {
  const check = await withProgress(vscode.l10n.t('Asking the model’s server'), (signal) =>
    probeModel(upstream, modelNetwork(), signal),
  );
  const { health, latencyMilliseconds } = check;
  if (health.state !== 'reachable' || latencyMilliseconds === undefined) {
    throw failureOf(health);
  }
  return { ...check, latencyMilliseconds };
}

const noAnswer = message('model unreachable: no connection, or it was lost');

function failureOf(health: ModelHealth): UserError {
  const description = modelHealthMessage(health) ?? noAnswer;
  return health.state === 'unauthorized'
    ? new UserError('model.keyRefused', description, runCommand(commandIds.setApiKey))
    : new UserError('model.unreachable', description, runCommand(commandIds.configureModel));
}

function runCommand(command: CommandId): RemedyAction {
  return { kind: 'runCommand', command };
}

/** Whether a check failed because the server did not accept the key, or wants one. */
export function isRefusedKey(error: unknown): boolean {
  return error instanceof UserError && error.code === 'model.keyRefused';
}

/**
 * Asks before a server is used that has no list of models: most often its base URL is not complete.
 * @throws Cancelled when it is not to be used
 */
export async function confirmWithoutList({ models }: GoodCheck, say: Say): Promise<void> {
  if (models !== undefined) return;
  const text = message(
    'This server has no list of models below this address. Does the base URL end in /v1? Whether it takes the key, and has the model, is not known.',
  );
  if (!(await say.confirm(text, vscode.l10n.t('Use It Anyway')))) {
    throw new Cancelled('a server without a list of models');
  }
}

/** Does something that can be cancelled. @throws Cancelled when it was */
export async function withProgress<Result>(
  title: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
    const cancelling = new AbortController();
    const subscription = token.onCancellationRequested(() =>
      cancelling.abort(new Cancelled('asking a server was cancelled')),
    );
    try {
      return await work(cancelling.signal);
    } finally {
      subscription.dispose();
    }
  });
}
