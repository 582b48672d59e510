import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDemoModel } from '../../../scripts/demoModel/server';
import { managedConfiguration } from '../../../src/opencode/managedConfiguration';
import { agentEnvironment } from '../../../src/opencode/environment';
import { configureModel, greetingScenario } from '../../support/agentWorkspace';
import { image } from '../../support/environment';
import { endOf, identified, specify, startSandbox, type TestFolders } from './sandboxUnderTest';

/** Has the image's opencode do tasks with a scripted model, one session each. */
export async function opencodeSessions(folders: TestFolders, prompts: readonly string[]): Promise<void> {
  const model = await startDemoModel({ scenario: greetingScenario });
  try {
    configureModel(folders.workspace, model.baseUrl);
    const project = readFileSync(join(folders.workspace, 'opencode.json'), 'utf8');
    for (const prompt of prompts) {
      const { connection } = await startSandbox(
        specify(folders, {
          kind: 'task',
          prompt,
          image: identified(image()),
          network: 'open',
          opencodeConfiguration: managedConfiguration([project]),
          insideEnvironment: { ...agentEnvironment },
          deadlineMilliseconds: 120_000,
        }),
      );
      const { exitCode } = await endOf(connection);
      if (exitCode !== 0) throw new Error(`opencode ended with ${exitCode}`);
    }
  } finally {
    await model.close();
  }
}
