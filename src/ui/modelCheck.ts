import * as vscode from 'vscode';
import type { SignedUpstream } from '../gateway/gateway';
import { checkModel, type ModelCheck } from '../gateway/modelCheck';
import { modelHealthMessage } from '../gateway/modelHealth';
import { realEffects } from '../gateway/realEffects';
import { type Message, message } from '../sandbox/message';
import { Cancelled, UserError } from '../sandbox/userError';

/** A server that took the key. */
export type GoodCheck = ModelCheck & { readonly latencyMilliseconds: number };

/**
 * Asks a server of models one small thing, with the key, and shows progress meanwhile.
 * @throws UserError `model.unreachable`, with the reason in words of ours; Cancelled
 */
export async function checkWithProgress(upstream: SignedUpstream): Promise<GoodCheck> {
  const check = await withProgress(vscode.l10n.t('Asking the model’s server'), (signal) =>
    checkModel(upstream, { effects: realEffects }, signal),
  );
  const { health, latencyMilliseconds } = check;
  if (health.state !== 'reachable' || latencyMilliseconds === undefined) {
    throw new UserError('model.unreachable', modelHealthMessage(health) ?? noAnswer);
  }
  return { ...check, latencyMilliseconds };
}

const noAnswer = message('model unreachable: no connection, or it was lost');

/** How quick the server was. */
export function latencyText({ latencyMilliseconds }: GoodCheck): Message {
  return message('The model’s server answered in {0} ms.', Math.round(latencyMilliseconds));
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
