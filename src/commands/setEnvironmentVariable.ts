import * as vscode from 'vscode';
import { settingKeys, settingName, settingsSection } from '../contributions';
import { isVariableValue, readVariables, refuseVariableName } from '../sandbox/insideVariables';
import { message } from '../sandbox/message';
import { given } from '../ui/models/modelInput';
import { translate } from '../ui/translate';
import type { Services } from './services';

/** Asks for a variable that the agent gets; its value goes to secret storage, and its name into the settings. */
export async function setEnvironmentVariable({ models: { secrets }, say }: Services): Promise<void> {
  const setting = settingName(settingKeys.environment);
  const title = vscode.l10n.t('Set Environment Variable');
  const name = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t(
      'Its name. The agent can read the variable, and what it reads can reach its model.',
    ),
    ignoreFocusOut: true,
    validateInput: (text) => {
      const refusal = refuseVariableName(text, setting);
      return refusal && translate(refusal.description);
    },
  });
  const chosen = given(name);
  const value = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('Its value, in one line. It goes to secret storage, and into every sandbox.'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (isVariableValue(text) ? undefined : vscode.l10n.t('A value has one line.')),
  });
  await secrets.setVariable(chosen, given(value));
  const configuration = vscode.workspace.getConfiguration(settingsSection);
  const found = configuration.inspect<unknown>(settingKeys.environment);
  const variables = readVariables(found?.globalValue ?? {}, setting);
  await configuration.update(
    settingKeys.environment,
    { ...variables, [chosen]: null },
    vscode.ConfigurationTarget.Global,
  );
  void say.information(
    message(
      'The variable {0} is set in every sandbox that starts from now on. The agent can read it.',
      chosen,
    ),
  );
}
