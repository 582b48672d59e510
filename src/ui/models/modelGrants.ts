import { commandIds, settingKeys, settingName } from '../../contributions';
import { UnsafeFileError } from '../../host/safeFiles';
import { type ModelGrants, wantedModels } from '../../launch/modelAccess';
import { readProjectConfiguration } from '../../opencode/projectConfiguration';
import type { VariableSetting } from '../../sandbox/insideVariables';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import type { ModelApprovals } from './modelApprovals';
import type { Secrets } from '../secrets';

/** What a start needs of what the user decided and keeps secret. */
export class GrantedModels {
  constructor(
    private readonly approvals: ModelApprovals,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Asks about the models to which a folder leads and that are not approved for it.
   * @param folder real path
   * @throws Cancelled when the user does not want to start; UserError when its configuration can't be read
   */
  async ask(folder: string, signal: AbortSignal): Promise<void> {
    const urls = await addressesOf(folder);
    await this.approvals.ask(folder, urls, signal);
  }

  /** Whether a folder leads to a model that is approved for it. @param folder real path @throws UserError */
  async has(folder: string): Promise<boolean> {
    const approved = this.approvals.of(folder);
    return (await addressesOf(folder)).some((url) => approved.includes(url));
  }

  /** The models that are approved for a folder, with their keys. @param folder real path @throws UserError */
  async grants(folder: string): Promise<ModelGrants> {
    const approved = this.approvals.of(folder);
    const keys = new Map<string, string>();
    for (const url of await addressesOf(folder)) {
      const key = approved.includes(url) ? await this.secrets.modelKey(url) : undefined;
      if (key !== undefined) keys.set(url, key);
    }
    return { approved, keys };
  }

  /** The values of the variables for the agent. @throws UserError when one is in no secret storage */
  async variables(setting: VariableSetting): Promise<Readonly<Record<string, string>>> {
    const values: Record<string, string> = {};
    for (const [name, literal] of Object.entries(setting)) {
      values[name] = literal ?? (await this.storedVariable(name));
    }
    return values;
  }

  private async storedVariable(name: string): Promise<string> {
    const value = await this.secrets.variable(name);
    if (value === undefined) {
      throw new UserError(
        'variable.noValue',
        message(
          'The setting {0} names the variable {1}, and there is no value for it in secret storage.',
          settingName(settingKeys.environment),
          name,
        ),
        { kind: 'runCommand', command: commandIds.setEnvironmentVariable },
      );
    }
    return value;
  }
}

async function addressesOf(folder: string): Promise<string[]> {
  try {
    return wantedModels(await readProjectConfiguration(folder)).map(({ baseUrl }) => baseUrl);
  } catch (error) {
    // the start says what is wrong with the folder
    if (error instanceof UnsafeFileError) return [];
    throw error;
  }
}
