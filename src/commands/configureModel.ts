import * as vscode from 'vscode';
import { wantedModels } from '../launch/modelAccess';
import { type ModelTarget, offeredModels, signedTarget } from '../launch/modelTargets';
import { withModel } from '../opencode/configurationEdits';
import { editProjectConfiguration, readProjectConfiguration } from '../opencode/projectConfiguration';
import { message } from '../sandbox/message';
import { checkWithProgress, type GoodCheck } from '../ui/modelCheck';
import { askKey, askLimits, askModel, keyPrompt } from '../ui/modelInput';
import { askSource } from '../ui/modelSource';
import { chooseFolder, realPathOf } from '../ui/window';
import { moveKeys } from './moveKeys';
import type { Services } from './services';

/**
 * Asks which model the agent shall use in a folder, checks it, and writes that into the folder's opencode.json. The
 * key goes to secret storage. Nothing is kept before the server has answered.
 */
export async function configureModel(services: Services): Promise<void> {
  const { say } = services;
  const { secrets, approvals } = services.models;
  const folder = await realPathOf((await chooseFolder()).uri.fsPath);
  const source = await askSource(wantedModels(await readProjectConfiguration(folder)), say);
  if (source.kind === 'moveKeys') {
    await moveKeys(services, folder);
    return;
  }
  const { target } = source;
  const { key, isNew } = await keyOf(services, target);
  const check = await checkWithProgress(signedTarget(target, key));
  await chooseModel(folder, target, check);
  await approvals.approve(folder, target.baseUrl);
  if (isNew && key !== undefined) {
    await secrets.setModelKey(target.baseUrl, key);
  }
  const text = message(
    'The model is set. Its server answered in {0} ms. The next agent that starts uses it.',
    Math.round(check.latencyMilliseconds),
  );
  if (target.literalKey === undefined) {
    void say.information(text);
  } else if (await say.offer(text, vscode.l10n.t('Move Key to Secret Storage'))) {
    await moveKeys(services, folder);
  }
}

async function keyOf(
  { models }: Services,
  { kind, baseUrl, literalKey }: ModelTarget,
): Promise<{ readonly key: string | undefined; readonly isNew: boolean }> {
  const stored = await models.secrets.modelKey(baseUrl);
  const found = stored ?? literalKey;
  if (found !== undefined || kind === 'local' || kind === 'hosted') return { key: found, isNew: false };
  return { key: await askKey(keyPrompt, kind !== 'known'), isNew: true };
}

async function chooseModel(folder: string, target: ModelTarget, { models = [] }: GoodCheck): Promise<void> {
  const { kind, providerId, name, npm, baseUrl } = target;
  const id = await askModel(offeredModels(target, models));
  const known = target.models.find((model) => model.id === id);
  const isOwn = kind === 'endpoint' || kind === 'local';
  const model = known ?? { id, ...(isOwn ? await askLimits() : {}) };
  await editProjectConfiguration(folder, 'last', (text) =>
    withModel(text, { providerId, model, ...(isOwn ? { endpoint: { name, npm, baseUrl } } : {}) }),
  );
}
