import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { SandboxedAgentApi } from './api';
import type * as extension from './extension';
import { makeCompiledCodeFolder } from './host/compiledCode';
import { runModule } from './host/keptCode';

/** When a window has started, and what it needs for that was run. */
const keepMilliseconds = 3000;

/** Called by VS Code: runs the extension, whose code is kept compiled. */
export function activate(context: vscode.ExtensionContext): SandboxedAgentApi | undefined {
  const storage = context.globalStorageUri.fsPath;
  const { version } = context.extension.packageJSON as { readonly version: string };
  const { exports, keep } = runModule<typeof extension>(
    join(__dirname, 'window.js'),
    join(storage, 'compiledCode', version, keptName),
  );
  const timer = keep && setTimeout(() => void keepIn(storage, version, keep), keepMilliseconds);
  context.subscriptions.push({ dispose: () => clearTimeout(timer) });
  return exports.activate(context);
}

const keptName = 'window';

async function keepIn(
  storage: string,
  version: string,
  keep: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await makeCompiledCodeFolder(storage, version);
  // without it all is compiled, as ever
  if (folder !== undefined) await keep(join(folder, keptName)).catch(() => undefined);
}
