import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runTests } from '@vscode/test-electron';
import type { VscodeRelease } from '../support/environment';
import {
  hostEnvironmentVariable,
  hostReleaseVariable,
  testFilesVariable,
  testPatternVariable,
  withoutVscode,
} from './environment';
import { type Settings, writeSettings } from './settings';

export interface VscodeRun {
  /** default: the newest, or the desktop VS Code that was chosen */
  readonly release?: VscodeRelease;
  /** compiled mocha files to run in the extension host */
  readonly files: readonly string[];
  /** mocha's `--grep` */
  readonly pattern?: string;
  readonly extensionDevelopmentPath: string;
  /** folder to open; an empty window without it */
  readonly folder?: string;
  readonly settings?: Settings;
  /** variables that the extension host gets, over those of this process */
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * Runs mocha in the extension host through `@vscode/test-electron`: in the desktop VS Code that the environment
 * variable VSCODE_EXECUTABLE names, else in the VS Code server shown in a headless browser.
 *
 * @throws Error when VS Code ends with another exit code than 0. The converse is not to be trusted: look at the
 * results file too.
 */
export async function runInVscode(run: VscodeRun): Promise<void> {
  const userDataFolder = mkdtempSync(join(tmpdir(), 'vscode-user-'));
  writeSettings(userDataFolder, run.settings);
  const release = run.release ?? 'newest';
  const desktop = release === 'newest' ? process.env['VSCODE_EXECUTABLE'] : undefined;
  // `runTests` hands down the whole environment of this process
  process.env = withoutVscode(process.env);
  try {
    await runTests({
      vscodeExecutablePath: desktop ?? launcherExecutable(),
      extensionDevelopmentPath: run.extensionDevelopmentPath,
      extensionTestsPath: join(__dirname, 'mochaSuite.js'),
      launchArgs: [
        ...(run.folder === undefined ? [] : [`--folder-uri=${pathToFileURL(run.folder).href}`]),
        `--user-data-dir=${userDataFolder}`,
        `--extensions-dir=${join(userDataFolder, 'extensions')}`,
      ],
      extensionTestsEnv: {
        [testFilesVariable]: JSON.stringify(run.files),
        ...(run.pattern === undefined ? {} : { [testPatternVariable]: run.pattern }),
        ...(desktop === undefined
          ? {
              [hostReleaseVariable]: release,
              [hostEnvironmentVariable]: JSON.stringify(run.environment ?? {}),
            }
          : run.environment),
      },
    });
  } finally {
    rmSync(userDataFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** `@vscode/test-electron` wants one executable file, and the compiler makes none executable. */
function launcherExecutable(): string {
  const path = join(__dirname, 'launcher.js');
  chmodSync(path, 0o755);
  return path;
}
