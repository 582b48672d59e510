import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scenario } from '../../scripts/demoModel/scenario';

/** An empty folder for an agent, inside a new temporary folder. */
export function makeWorkspace(name = 'workspace'): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'test-')), name);
  mkdirSync(folder);
  return folder;
}

/** Makes opencode use the model at `baseUrl` in this folder. */
export function configureModel(workspace: string, baseUrl: string): void {
  const configuration = {
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: baseUrl, apiKey: 'none' },
        models: { scripted: { name: 'Scripted model', limit: { context: 131072, output: 32768 } } },
      },
    },
  };
  writeFileSync(join(workspace, 'opencode.json'), JSON.stringify(configuration, null, 2));
}

/** What the model says when it has written the file. */
export const fileWritten = 'The greeting is written.';

/** `greet NAME`: the model writes greeting.txt. Anything else: it only talks. */
export const greetingScenario: Scenario = {
  models: ['scripted'],
  title: 'A greeting',
  rules: [
    {
      match: '^greet (\\w+)$',
      steps: [
        { tools: [{ name: 'write', arguments: { filePath: '${cwd}/greeting.txt', content: 'hello $1\n' } }] },
        { text: fileWritten },
      ],
    },
  ],
  otherwise: [{ text: 'I have nothing to do.' }],
};
