import * as vscode from 'vscode';
import { type WantedModel, wantedModels } from '../launch/modelAccess';
import { knownTarget, type ModelTarget, namedTarget, signedTarget } from '../launch/modelTargets';
import { hostedProvider, knownProviders } from '../opencode/knownProviders';
import { readProjectConfiguration } from '../opencode/projectConfiguration';
import { message } from '../sandbox/message';
import { checkWithProgress, latencyText } from '../ui/modelCheck';
import { askKey, given } from '../ui/modelInput';
import { plainText } from '../ui/plainText';
import { diskFolders, realPathOf } from '../ui/window';
import type { Services } from './services';

/** Asks for a key, keeps it for one server of models, and asks the server whether it takes the key. */
export async function setApiKey({ models: { secrets }, say }: Services): Promise<void> {
  const items = targetsOf(await namedInWindow()).map((target) => ({
    label: plainText(target.name),
    description: plainText(target.baseUrl),
    target,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Set API Key'),
    placeHolder: vscode.l10n.t('The server that the key is for. It is sent to this address alone.'),
    ignoreFocusOut: true,
  });
  const { target } = given(picked);
  const key = given(
    await askKey(message('It goes to VS Code’s secret storage and never into the sandbox.'), false),
  );
  await secrets.setModelKey(target.baseUrl, key);
  void say.information(latencyText(await checkWithProgress(signedTarget(target, key))));
}

/** The servers that the folders of this window name, which may be none. */
export async function namedInWindow(): Promise<WantedModel[]> {
  const folders = await Promise.all(diskFolders().map(({ uri }) => realPathOf(uri.fsPath)));
  const texts = await Promise.all(folders.map(readProjectConfiguration));
  return texts.flatMap(wantedModels);
}

function targetsOf(named: readonly WantedModel[]): ModelTarget[] {
  const known = knownProviders.filter(({ id }) => id !== hostedProvider).map(knownTarget);
  const all = [...named.map(namedTarget), ...known];
  return all.filter((target, index) => all.findIndex(({ baseUrl }) => baseUrl === target.baseUrl) === index);
}
