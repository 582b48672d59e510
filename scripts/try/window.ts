import { join } from 'node:path';
import { connectSandbox } from '../../src/launch/connect';
import { LiveSandboxes } from '../../src/launch/liveSandboxes';
import { codeOf } from '../../src/host/safeFiles';
import { type DemoModel, startDemoModel } from '../demoModel/server';
import { cacheFolder } from '../setup/paths';
import { say } from '../setup/progress';
import { announceDemoModel, announceDemoQuestion, announceMissingModel } from './announcement';
import { removeDemoFile, writeDemoFile } from './demoFile';
import { findDesktop, openDesktop } from './desktop';
import { setEditorSettings } from './editorSettings';
import { findProjectModel } from './projectModel';
import { openServer } from './server';

export interface WindowRequest {
  /** absolute */
  readonly folder: string;
  /** the folder is our copy of the example: it is trusted, and may be written to without asking */
  readonly isExample: boolean;
  readonly apptainer: string;
  readonly image: string;
  /** ends everything */
  readonly signal: AbortSignal;
}

const userDataFolder = join(cacheFolder, 'vscode-user');
/** `publisher.name` of package.json: where VS Code lets the extension keep its files */
const storageFolder = join(userDataFolder, 'User/globalStorage/sandboxed-agent.sandboxed-agent');

/**
 * Opens VS Code on a folder, and stays until that ends or `signal` is aborted; then everything that was started here
 * is ended.
 * @returns the exit code
 */
export async function runWindow(request: WindowRequest): Promise<number> {
  const { folder, isExample, apptainer, image, signal } = request;
  await setEditorSettings(userDataFolder, {
    'sandboxedAgent.apptainerPath': apptainer,
    'sandboxedAgent.image': image,
  });
  const demo = await offerDemoModel(folder, isExample);
  try {
    const desktop = await findDesktop();
    const editor =
      desktop === undefined
        ? await openServer(folder, userDataFolder, isExample)
        : openDesktop(desktop, folder, userDataFolder, isExample);
    say(
      `In VS Code, press F1 and run “Start Sandboxed Agent”.${isExample ? ' README.md there says what to try.' : ''}`,
    );
    try {
      return await Promise.race([editor.ended, aborted(signal)]);
    } finally {
      say('Ending …');
      await editor.stop();
      await stopSandboxes();
    }
  } finally {
    await demo?.close();
    await removeDemoFile(folder);
  }
}

/** The demo model for a folder that names no model that answers, if opencode may be told of it. */
async function offerDemoModel(folder: string, isExample: boolean): Promise<DemoModel | undefined> {
  const model = await findProjectModel(folder);
  announceMissingModel(model);
  if (model.kind === 'configured') {
    return undefined;
  }
  const question = `May an opencode.json that names the demo model be written into ${folder} meanwhile?`;
  if (model.kind === 'none' && (isExample || (await mayAsk(question)))) {
    const demo = await startModel();
    if (await writeDemoFile(folder, demo.baseUrl)) {
      announceDemoModel();
      announceDemoQuestion(demo.baseUrl);
      return demo;
    }
    await demo.close();
  }
  say(
    'Until there is one, the agent starts but can’t answer. Name your model in opencode.json in that folder.',
  );
  return undefined;
}

/** Any that is rarely used: what names the model is the same the next time then, and no change that is asked about. */
const usualPort = 47_821;

async function startModel(): Promise<DemoModel> {
  return await startDemoModel({ port: usualPort }).catch((error: unknown) => {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    return startDemoModel();
  });
}

async function mayAsk(question: string): Promise<boolean> {
  const { ask } = await import('../run/ask.mjs');
  return (await ask(question, true)) ?? false;
}

function aborted(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const stopped = (): void => resolve(130);
    if (signal.aborted) {
      stopped();
    }
    signal.addEventListener('abort', stopped, { once: true });
  });
}

/** Sandboxes outlive the windows that started them, on purpose; here nothing shall stay. */
async function stopSandboxes(): Promise<void> {
  for (const { socket } of await new LiveSandboxes(storageFolder).find()) {
    const connection = await connectSandbox(socket).catch(() => undefined);
    await connection?.stop().catch(() => undefined);
    connection?.dispose();
  }
}
