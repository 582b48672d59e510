import * as vscode from 'vscode';
import { commandIds } from '../contributions';
import { wantedModels } from '../launch/modelAccess';
import { leadTo, type ModelTarget, needsAddress, offeredModels, signedTarget } from '../launch/modelTargets';
import { withModel } from '../opencode/configurationEdits';
import { editProjectConfiguration, readProjectConfiguration } from '../opencode/projectConfiguration';
import { type Message, message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { checkWithProgress, confirmWithoutList, type GoodCheck, isRefusedKey } from '../ui/models/modelCheck';
import { askKey, askLimits, askModel, keyPrompt, refusedKeyPrompt } from '../ui/models/modelInput';
import { approveNamed, confirmReadable } from '../ui/models/modelQuestion';
import { askSource } from '../ui/models/modelSource';
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
  if (target.kind === 'named' && !approvals.of(folder).includes(target.baseUrl)) {
    await approveNamed(target.baseUrl);
  } else {
    await confirmReadable(target.baseUrl, say);
  }
  const { key, isNew, check } = await checkTarget(target, await keyOf(services, target));
  await confirmWithoutList(check, say);
  await chooseModel(folder, target, check);
  await approvals.approve(folder, target.baseUrl);
  if (isNew && key !== undefined) {
    await secrets.setModelKey(target.baseUrl, key);
  }
  const text = setText(check, key !== undefined);
  if (target.literalKey === undefined) {
    void say.information(text, { kind: 'runCommand', command: commandIds.start });
  } else if (await say.offer(text, vscode.l10n.t('Move Key to Secret Storage'))) {
    await moveKeys(services, folder);
  }
}

function setText({ models, isKeyTested, latencyMilliseconds }: GoodCheck, hasKey: boolean): Message {
  const milliseconds = Math.round(latencyMilliseconds);
  if (hasKey && !isKeyTested && models !== undefined) {
    return message(
      'The model is set. Its server answered in {0} ms; the server lists its models without a key, so the key was not tested. The next agent that starts uses it.',
      milliseconds,
    );
  }
  return message(
    'The model is set. Its server answered in {0} ms. The next agent that starts uses it.',
    milliseconds,
  );
}

/** A key for a target, and whether it is to be stored. */
interface TargetKey {
  readonly key: string | undefined;
  readonly isNew: boolean;
}

async function keyOf({ models }: Services, { kind, baseUrl, literalKey }: ModelTarget): Promise<TargetKey> {
  const stored = await models.secrets.modelKey(baseUrl);
  const found = stored ?? literalKey;
  if (found !== undefined || kind === 'local' || kind === 'hosted') return { key: found, isNew: false };
  return { key: await askKey(keyPrompt, kind !== 'known'), isNew: true };
}

/** Checks a target, and asks for another key as long as the server does not accept it. @throws UserError, Cancelled */
async function checkTarget(
  target: ModelTarget,
  used: TargetKey,
): Promise<TargetKey & { readonly check: GoodCheck }> {
  try {
    return { ...used, check: await checkWithProgress(signedTarget(target, used.key)) };
  } catch (error) {
    if (!isRefusedKey(error)) throw error;
    const key = await askKey(refusedKeyPrompt(used.key !== undefined), false);
    return checkTarget(target, { key, isNew: true });
  }
}

/** @throws UserError when the files lead elsewhere afterwards */
async function chooseModel(folder: string, target: ModelTarget, { models = [] }: GoodCheck): Promise<void> {
  const { kind, providerId, name, npm, baseUrl } = target;
  const id = await askModel(offeredModels(target, models));
  const known = target.models.find((model) => model.id === id);
  const isOwn = kind === 'endpoint' || kind === 'local';
  const model = known ?? { id, ...(isOwn ? await askLimits() : {}) };
  const isNeeded = needsAddress(target, await readProjectConfiguration(folder));
  const [path = `${folder}/opencode.json`] = await editProjectConfiguration(folder, 'last', (text) =>
    withModel(text, { providerId, model, ...(isNeeded ? { endpoint: { name, npm, baseUrl } } : {}) }),
  );
  if (!leadTo(await readProjectConfiguration(folder), target)) {
    throw new UserError(
      'model.elsewhere',
      message(
        '{0} does not lead to the server that you chose: it names another package or address for the same provider. Correct that, then configure the model again.',
        path,
      ),
      { kind: 'revealFile', path },
    );
  }
}
