import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { type Settings, writeSettings } from '../../test/host/settings';

/** For a person, not a test: shows the folder's README, and draws terminals as fast as the machine can. */
const firstSettings: Settings = {
  'workbench.startupEditor': 'readme',
  'terminal.integrated.gpuAcceleration': 'auto',
};

/**
 * Puts settings into a user data folder of VS Code, and leaves what else is set there as it is. A desktop VS Code
 * reads those of the user, a remote window those of the machine.
 */
export async function setEditorSettings(userDataFolder: string, settings: Settings): Promise<void> {
  const files = ['User', 'Machine'].map((level) => join(userDataFolder, level, 'settings.json'));
  if (!files.every(existsSync)) {
    writeSettings(userDataFolder, firstSettings);
  }
  for (const file of files) {
    let text = await readFile(file, 'utf8');
    for (const [name, value] of Object.entries(settings)) {
      text = applyEdits(
        text,
        modify(text, [name], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }),
      );
    }
    await writeFile(file, text);
  }
}
