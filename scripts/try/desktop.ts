import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath, runCommand } from '../setup/command';
import { repositoryFolder } from '../setup/paths';
import { say } from '../setup/progress';
import type { EditorWindow } from './editorWindow';

/** The oldest VS Code in which the extension works (engines.vscode). */
const oldestVersion = { major: 1, minor: 105 };

/**
 * The desktop VS Code of this machine, if it has one that can open a window here: a screen, and not the `code` of a
 * remote window or of Windows, which opens one elsewhere.
 */
export async function findDesktop(): Promise<string | undefined> {
  const { DISPLAY, WAYLAND_DISPLAY, VSCODE_IPC_HOOK_CLI } = process.env;
  const program = findOnPath('code');
  if (
    program === undefined ||
    (DISPLAY ?? WAYLAND_DISPLAY) === undefined ||
    VSCODE_IPC_HOOK_CLI !== undefined
  ) {
    return undefined;
  }
  if (/remote-cli|^\/mnt\//.test(realpathSync(program))) {
    return undefined;
  }
  const [, major, minor] = /^(\d+)\.(\d+)/m.exec(await runCommand(program, ['--version'])) ?? [];
  if (Number(major) === oldestVersion.major && Number(minor) >= oldestVersion.minor) {
    return program;
  }
  say(
    `The VS Code at ${program} is too old; ${oldestVersion.major}.${oldestVersion.minor} or newer is needed.`,
  );
  return undefined;
}

/** Opens a window of the desktop VS Code with the extension loaded from this clone. */
export function openDesktop(
  program: string,
  folder: string,
  userDataFolder: string,
  trusted: boolean,
): EditorWindow {
  const args = [
    ...['--new-window', '--wait', `--extensionDevelopmentPath=${repositoryFolder}`],
    ...['--user-data-dir', userDataFolder, '--extensions-dir', join(userDataFolder, 'extensions')],
    ...(trusted ? ['--disable-workspace-trust'] : []),
    folder,
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 0));
  });
  say(`VS Code opens ${folder}. Closing its window, or Ctrl+C here, ends all.`);
  return {
    ended,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
