import type { SecretStorage } from 'vscode';
import { isSharedAddress } from '../gateway/sharedAddress';

/** What a name in secret storage begins with. */
const modelPrefix = 'model ';
const variablePrefix = 'variable ';

/**
 * The user's keys, and values of variables, in VS Code's secret storage. A key belongs to a base URL and not to the
 * name of a provider: a file in a workspace can call anything by that name. Secret storage is where the window is, and
 * so is common to all machines that are reached from there: a key for a private address belongs to one machine as well.
 */
export class Secrets {
  /** @param machine as `machineIdentity` gives it */
  constructor(
    private readonly storage: Pick<SecretStorage, 'get' | 'store' | 'delete' | 'keys'>,
    private readonly machine: string,
  ) {}

  /** The key for a server of models. @param baseUrl normalised */
  async modelKey(baseUrl: string): Promise<string | undefined> {
    return this.storage.get(this.modelName(baseUrl));
  }

  /** Keeps the key for a server of models. @param baseUrl normalised */
  async setModelKey(baseUrl: string, key: string): Promise<void> {
    await this.storage.store(this.modelName(baseUrl), key);
  }

  async removeModelKey(baseUrl: string): Promise<void> {
    await this.storage.delete(this.modelName(baseUrl));
  }

  /** The base URLs for which there is a key, without those of other machines. */
  async modelAddresses(): Promise<string[]> {
    const names = await this.storage.keys();
    return names
      .filter((name) => name.startsWith(modelPrefix))
      .map((name) => ({ name, baseUrl: name.slice(name.lastIndexOf(' ') + 1) }))
      .filter(({ name, baseUrl }) => URL.canParse(baseUrl) && name === this.modelName(baseUrl))
      .map(({ baseUrl }) => baseUrl)
      .sort();
  }

  /** A base URL has no space in it. */
  private modelName(baseUrl: string): string {
    return isSharedAddress(baseUrl) ? modelPrefix + baseUrl : `${modelPrefix}${this.machine} ${baseUrl}`;
  }

  /** The value of a variable for the agent. */
  async variable(name: string): Promise<string | undefined> {
    return this.storage.get(variablePrefix + name);
  }

  async setVariable(name: string, value: string): Promise<void> {
    await this.storage.store(variablePrefix + name, value);
  }
}
