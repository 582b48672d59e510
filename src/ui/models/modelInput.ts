import * as vscode from 'vscode';
import { normaliseModelAddress } from '../../gateway/modelAddress';
import { modelIdPattern } from '../../opencode/hostileJson';
import { type Message, message } from '../../sandbox/message';
import { Cancelled } from '../../sandbox/userError';
import { type Limits, readLimits } from './modelLimits';
import { translate } from '../translate';

// What is asked about models. No text of a file or a server is in a prompt: lists hold those, as plain items.

/** A base URL, normalised. @throws Cancelled */
export async function askBaseUrl(): Promise<string> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Configure Model: Address'),
    prompt: vscode.l10n.t('The base URL of an OpenAI-compatible API, often ending in /v1'),
    placeHolder: 'https://models.example.org/v1',
    ignoreFocusOut: true,
    validateInput: (value) => {
      const address = normaliseModelAddress(value);
      return 'refused' in address ? translate(address.refused) : undefined;
    },
  });
  const address = normaliseModelAddress(given(text));
  if ('refused' in address) throw new Cancelled('no base URL was given');
  return address.baseUrl;
}

/** A key; undefined when the server needs none. @throws Cancelled */
export async function askKey(prompt: Message, mayBeEmpty: boolean): Promise<string | undefined> {
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('API Key'),
    prompt: translate(prompt),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => {
      if (value.trim() === '')
        return mayBeEmpty ? undefined : vscode.l10n.t('Paste the key, or press Escape.');
      return /^[\u0021-\u007e]{1,4096}$/.test(value.trim())
        ? undefined
        : vscode.l10n.t('A key has no spaces and no special characters.');
    },
  });
  const trimmed = given(key).trim();
  return trimmed === '' ? undefined : trimmed;
}

/** The key prompt of Configure Model. */
export const keyPrompt = message(
  'It goes to VS Code’s secret storage and never into the sandbox. Leave it empty if the server needs none.',
);

/** The key prompt after the server did not answer because of the key. @param hadKey whether there was one */
export function refusedKeyPrompt(hadKey: boolean): Message {
  return hadKey
    ? message('The server did not accept the key. Paste another one. Escape leaves everything as it is.')
    : message('The server wants a key. It goes to VS Code’s secret storage and never into the sandbox.');
}

/** One of these models, or another one. @param models plain ids @throws Cancelled */
export async function askModel(models: readonly string[]): Promise<string> {
  if (models.length === 0) return askModelId();
  const other: vscode.QuickPickItem = { label: vscode.l10n.t('Another model…'), alwaysShow: true };
  const picked = await vscode.window.showQuickPick([...models.map((label) => ({ label })), other], {
    title: vscode.l10n.t('Configure Model: Model'),
    placeHolder: vscode.l10n.t('The model that the agent uses'),
    ignoreFocusOut: true,
  });
  const item = given(picked);
  return item === other ? askModelId() : item.label;
}

async function askModelId(): Promise<string> {
  const id = await vscode.window.showInputBox({
    title: vscode.l10n.t('Configure Model: Model'),
    prompt: vscode.l10n.t('The id of the model, as the server’s documentation has it'),
    ignoreFocusOut: true,
    validateInput: (value) =>
      modelIdPattern.test(value) ? undefined : vscode.l10n.t('This can’t be the id of a model.'),
  });
  return given(id);
}

/** How much text the model takes and gives; empty when the user leaves that to opencode. @throws Cancelled */
export async function askLimits(): Promise<Limits> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Configure Model: Limits'),
    prompt: vscode.l10n.t(
      'Tokens of context and of output. Empty: unknown, and opencode can’t shorten in time.',
    ),
    placeHolder: '131072 / 8192',
    ignoreFocusOut: true,
    validateInput: (value) =>
      readLimits(value)
        ? undefined
        : vscode.l10n.t('Two numbers, as in 131072 / 8192; the output is the smaller one.'),
  });
  return readLimits(given(text)) ?? {};
}

/** @throws Cancelled for nothing */
export function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Cancelled('a question was left open');
  return value;
}
