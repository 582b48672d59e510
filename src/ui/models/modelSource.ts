import * as vscode from 'vscode';
import { commandIds } from '../../contributions';
import { findLocalServers, localServers } from '../../launch/localModels';
import type { WantedModel } from '../../launch/modelAccess';
import {
  endpointTarget,
  knownTarget,
  localTarget,
  type ModelTarget,
  namedTarget,
} from '../../launch/modelTargets';
import { hostedProvider, knownProviders } from '../../opencode/knownProviders';
import { message } from '../../sandbox/message';
import { Cancelled, UserError } from '../../sandbox/userError';
import { askBaseUrl, given } from './modelInput';
import { withProgress } from './modelCheck';
import { addressLabel } from './addressLabel';
import { plainText } from '../plainText';
import type { Say } from '../say';

/** What somebody wants of Configure Model. */
export type ModelSource =
  { readonly kind: 'moveKeys' } | { readonly kind: 'target'; readonly target: ModelTarget };

interface Item extends vscode.QuickPickItem {
  readonly choose: () => Promise<ModelSource>;
}

const targeted = (target: ModelTarget): ModelSource => ({ kind: 'target', target });

/**
 * Asks where the model is.
 * @param named what the workspace's files name; hostile, so it is shown in this list only, as plain text
 * @throws Cancelled, UserError
 */
export async function askSource(named: readonly WantedModel[], say: Say): Promise<ModelSource> {
  const items = [...keyItems(named), ...named.map(namedItem), ...fixedItems(named, say)];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Configure Model'),
    placeHolder: vscode.l10n.t('Where the model is'),
    ignoreFocusOut: true,
  });
  return given(picked).choose();
}

function keyItems(named: readonly WantedModel[]): Item[] {
  if (!named.some(({ provider }) => provider.literalKey !== undefined)) return [];
  return [
    {
      label: vscode.l10n.t('Move to secret storage'),
      detail: vscode.l10n.t('A key stands in opencode.json, where the agent can read it'),
      choose: () => Promise.resolve({ kind: 'moveKeys' }),
    },
  ];
}

function namedItem(wanted: WantedModel): Item {
  return {
    // the id can be that of somebody else
    label: addressLabel(wanted.baseUrl),
    description: vscode.l10n.t('named in opencode.json, which the agent can write'),
    detail: `${plainText(wanted.provider.id)}: ${plainText(wanted.baseUrl)}`,
    choose: () => Promise.resolve(targeted(namedTarget(wanted))),
  };
}

function fixedItems(named: readonly WantedModel[], say: Say): Item[] {
  return [
    {
      label: vscode.l10n.t('A server with an OpenAI-compatible API…'),
      detail: vscode.l10n.t('For example of your university: its base URL, and a key if it needs one'),
      choose: async () => targeted(endpointTarget(await askBaseUrl(), named)),
    },
    {
      label: vscode.l10n.t('A server on this computer…'),
      detail: localServers.map(({ name }) => name).join(', '),
      choose: async () => targeted(await askLocal()),
    },
    {
      label: vscode.l10n.t('A provider that opencode knows…'),
      detail: vscode.l10n.t(
        '{0} and others, with a key of yours',
        'Anthropic, OpenAI, Mistral, Hugging Face',
      ),
      choose: async () => targeted(await askKnown()),
    },
    {
      label: vscode.l10n.t('OpenCode’s hosted free models…'),
      detail: vscode.l10n.t('Prompts leave for opencode.ai'),
      choose: async () => targeted(await confirmHosted(say)),
    },
  ];
}

async function askLocal(): Promise<ModelTarget> {
  const found = await withProgress(vscode.l10n.t('Looking for servers on this computer'), (signal) =>
    findLocalServers(localServers, signal),
  );
  if (found.length === 0) {
    const looked = localServers.map(({ name, baseUrl }) => `${name} (${new URL(baseUrl).port})`).join(', ');
    throw new UserError(
      'model.noLocalServer',
      message(
        'No server of models of yours or of the system answers on this computer. Looked for, with their ports: {0}. Start one, or give its base URL.',
        looked,
      ),
      { kind: 'runCommand', command: commandIds.configureModel },
    );
  }
  const items = found.map((server) => ({
    label: server.name,
    description: server.baseUrl,
    detail: server.models.slice(0, 5).join(', '),
    server,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Configure Model: Server'),
    placeHolder: vscode.l10n.t('Servers that answer on this computer'),
    ignoreFocusOut: true,
  });
  return localTarget(given(picked).server);
}

async function askKnown(): Promise<ModelTarget> {
  const items = knownProviders
    .filter(({ id }) => id !== hostedProvider)
    .map((provider) => ({ label: provider.name, description: provider.baseUrl, provider }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Configure Model: Provider'),
    placeHolder: vscode.l10n.t('The provider for which you have a key'),
    ignoreFocusOut: true,
  });
  return knownTarget(given(picked).provider);
}

async function confirmHosted(say: Say): Promise<ModelTarget> {
  const hosted = knownProviders.find(({ id }) => id === hostedProvider);
  const agreed = await say.confirm(
    message(
      'Prompts, and everything that the agent reads in this folder, leave for opencode.ai, a service of a third party that may keep them. It is free and asks for no account.',
    ),
    vscode.l10n.t('Use opencode.ai'),
  );
  if (!agreed || !hosted) throw new Cancelled('the hosted models were not agreed to');
  return knownTarget(hosted);
}
