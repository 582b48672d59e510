import type { SecretStorage } from 'vscode';

/** What a name in secret storage begins with. */
const modelPrefix = 'model ';
const variablePrefix = 'variable ';

/**
 * The user's keys, and values of variables, in VS Code's secret storage. A key belongs to a base URL and not to the
 * name of a provider: a file in a workspace can call anything by that name.
 */
export class Secrets {
  constructor(private readonly storage: SecretStorage) {}

  /** The key for a server of models. @param baseUrl normalised */
  async modelKey(baseUrl: string): Promise<string | undefined> {
    return this.storage.get(modelPrefix + baseUrl);
  }

  /** Keeps the key for a server of models. @param baseUrl normalised */
  async setModelKey(baseUrl: string, key: string): Promise<void> {
    await this.storage.store(modelPrefix + baseUrl, key);
  }

  async removeModelKey(baseUrl: string): Promise<void> {
    await this.storage.delete(modelPrefix + baseUrl);
  }

  /** The base URLs for which there is a key. */
  async modelAddresses(): Promise<string[]> {
    const names = await this.storage.keys();
    return names
      .filter((name) => name.startsWith(modelPrefix))
      .map((name) => name.slice(modelPrefix.length))
      .sort();
  }

  /** The value of a variable for the agent. */
  async variable(name: string): Promise<string | undefined> {
    return this.storage.get(variablePrefix + name);
  }

  async setVariable(name: string, value: string): Promise<void> {
    await this.storage.store(variablePrefix + name, value);
  }
}
