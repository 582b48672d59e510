import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { LauncherSurroundings } from '../sandboxes/launchRequests';

/** What a sandbox needs to know of this computer, this editor and this extension. */
export function surroundingsOf(context: vscode.ExtensionContext): LauncherSurroundings {
  return {
    environment: process.env,
    storageDirectory: context.globalStorageUri.fsPath,
    serverFolders: serverFolders(context),
    ptyModules: ptyModules(context),
    platform: process.platform,
    uid: process.getuid?.() ?? -1,
  };
}

/** Where programs and settings lie that the editor runs and believes: no agent may write there. */
function serverFolders(context: vscode.ExtensionContext): string[] {
  // <user data>/User/globalStorage/<extension>
  const userData = dirname(dirname(context.globalStorageUri.fsPath));
  const isInstalled = context.extensionMode === vscode.ExtensionMode.Production;
  // under development the example project lies beside the code
  const extensions = isInstalled ? dirname(context.extensionPath) : context.asAbsolutePath('dist');
  return [vscode.env.appRoot, userData, extensions];
}

/**
 * Where node-pty may be. VS Code's own copy is built against an old glibc, so it loads on old clusters, too. In
 * desktop builds it is inside an archive that Electron reads like a folder. The extension's own is there when it runs
 * from its repository.
 */
export function ptyModules(context: vscode.ExtensionContext): string[] {
  return [
    join(vscode.env.appRoot, 'node_modules', 'node-pty'),
    join(vscode.env.appRoot, 'node_modules.asar', 'node-pty'),
    context.asAbsolutePath(join('node_modules', 'node-pty')),
  ];
}
