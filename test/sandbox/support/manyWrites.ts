import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from '../../../scripts/demoModel/scenario';
import type { Inspection } from '../../../src/launch/homeKeeper';
import { isKept, nameAside, withKeeper } from '../../../src/launch/keeperSandbox';
import { agentEnvironment } from '../../../src/opencode/environment';
import type { Session } from '../../../src/opencode/sessions/sessionStore';
import { managedConfiguration } from '../../../src/opencode/managedConfiguration';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { keptAgent, openingOptions } from './keptHome';
import type { TestFolders } from './sandboxUnderTest';
import { readerOf } from './sessionHome';

/** `write NAME`: the model writes that many files, one after another, and says that it is done. */
export function manyWrites(files: number): Scenario {
  const steps = Array.from({ length: files }, (_, index) => ({
    tools: [
      {
        name: 'write',
        arguments: { filePath: `\${cwd}/$1-${index}.txt`, content: `${'line of $1\n'.repeat(40)}` },
      },
    ],
  }));
  return {
    models: ['scripted'],
    title: 'Writes',
    rules: [{ match: '^write (\\w+)$', steps: [...steps, { text: 'All are written.' }] }],
    otherwise: [{ text: 'I have nothing to do.' }],
  };
}

/** So many messages a session of {@link manyWrites} has: the prompt, an answer for each file, and the last word. */
export const messagesOf = (files: number): number => files + 2;

/** A task for an agent in these folders, with what is kept of its home. The project must name the model. */
export async function keptTask(
  folders: TestFolders,
  prompt: string,
): Promise<SandboxSpecification & { readonly homeFolder: string }> {
  const project = readFileSync(join(folders.workspace, 'opencode.json'), 'utf8');
  return keptAgent(folders, {
    kind: 'task',
    prompt,
    network: 'open',
    opencodeConfiguration: managedConfiguration([project]),
    insideEnvironment: { ...agentEnvironment },
    deadlineMilliseconds: 600_000,
  });
}

/** What SQLite itself says of the database of a home. */
export async function inspectHome(
  specification: SandboxSpecification & { readonly homeFolder: string },
): Promise<Inspection['state']> {
  if (!isKept(specification)) throw new Error('no home');
  return withKeeper(specification, openingOptions(), undefined, async (keeper) => {
    const { state } = await keeper.inspect(false, nameAside());
    return state;
  });
}

/** All sessions of a home, with their sums. */
export async function sessionsOf(folders: TestFolders): Promise<readonly Session[]> {
  const { reader } = readerOf(folders);
  try {
    await reader.refresh();
    if (reader.store.problem !== undefined && reader.store.problem !== 'none') {
      throw new Error(`the sessions can't be read: ${reader.store.problem}`);
    }
    return reader.store.sessions;
  } finally {
    await reader.close();
  }
}
