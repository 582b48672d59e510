import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeHomeFolder } from '../../../src/host/homeFolderPlace';
import type { HomeOpeningOptions } from '../../../src/launch/keeperSandbox';
import { ScriptProcess } from '../../../src/launch/scriptProcess';
import { formatMessage } from '../../../src/sandbox/message';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { image } from '../../support/environment';
import { bundles, identified, specify, type TestFolders } from './sandboxUnderTest';
import { homeOf } from './sessionHome';

/** What an agent in these folders is asked for, with what is kept of its home. */
export async function keptAgent(
  folders: TestFolders,
  changes: Partial<SandboxSpecification> = {},
): Promise<SandboxSpecification & { readonly homeFolder: string }> {
  const home = identified(homeOf(folders));
  const storage = join(folders.root, 'storage');
  mkdirSync(storage, { recursive: true });
  return {
    ...specify(folders, {
      kind: 'agent',
      image: identified(image()),
      home: { kind: 'folder', folder: home },
      ...changes,
    }),
    homeFolder: await makeHomeFolder(storage, home),
  };
}

/** Opens homes as the extension does, and notes what it says meanwhile. */
export function openingOptions(): HomeOpeningOptions & { readonly told: string[]; readonly log: string[] } {
  const told: string[] = [];
  const log: string[] = [];
  return {
    told,
    log,
    signal: new AbortController().signal,
    tell: (text) => told.push(formatMessage(text)),
    onLog: (line) => log.push(line),
    startScript: (sandbox, script, onLine) =>
      ScriptProcess.start(
        {
          nodePath: process.execPath,
          keeper: join(bundles, 'scriptKeeper.js'),
          environment: process.env,
          onLog: (line) => log.push(line),
          sandbox,
          script,
        },
        onLine,
      ),
  };
}
