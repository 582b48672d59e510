import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from '../../../scripts/demoModel/scenario';
import { startDemoModel, type DemoModel } from '../../../scripts/demoModel/server';
import { agentEnvironment } from '../../../src/opencode/environment';
import { managedConfiguration } from '../../../src/opencode/managedConfiguration';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { configureModel, greetingScenario } from '../../support/agentWorkspace';
import { image } from '../../support/environment';
import { waitUntil } from '../../support/waitUntil';
import { endOf, identified, specify, startSandbox, type TestFolders } from './sandboxUnderTest';

/** Has the image's opencode do tasks with a scripted model, one session each. */
export function opencodeSessions(folders: TestFolders, prompts: readonly string[]): Promise<void> {
  return scriptedSessions(folders, greetingScenario, prompts);
}

/** The same, with what the model says. */
export async function scriptedSessions(
  folders: TestFolders,
  scenario: Scenario,
  prompts: readonly string[],
): Promise<void> {
  const model = await startDemoModel({ scenario });
  try {
    for (const prompt of prompts) {
      const { connection } = await startSandbox(task(folders, model, prompt));
      const { exitCode } = await endOf(connection);
      if (exitCode !== 0) throw new Error(`opencode ended with ${exitCode}`);
    }
  } finally {
    await model.close();
  }
}

/** Has the image's opencode begin a task whose answer never comes, and stops its sandbox then. */
export async function interruptedSession(folders: TestFolders): Promise<void> {
  const scenario = { models: ['scripted'], title: 'Hangs', rules: [], otherwise: [{ hang: true }] };
  const model = await startDemoModel({ scenario });
  try {
    const { connection } = await startSandbox(task(folders, model, 'wait'));
    // one for the title, one for the answer
    await waitUntil('opencode waits for its answer', () => model.requests.length > 1, 120_000);
    await connection.stop();
  } finally {
    await model.close();
  }
}

function task(folders: TestFolders, model: DemoModel, prompt: string): SandboxSpecification {
  configureModel(folders.workspace, model.baseUrl);
  const project = readFileSync(join(folders.workspace, 'opencode.json'), 'utf8');
  return specify(folders, {
    kind: 'task',
    prompt,
    image: identified(image()),
    network: 'open',
    opencodeConfiguration: managedConfiguration([project]),
    insideEnvironment: { ...agentEnvironment },
    deadlineMilliseconds: 200_000,
  });
}
