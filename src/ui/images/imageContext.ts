import { access } from 'node:fs/promises';
import * as vscode from 'vscode';
import { contextKeys, settingsSection } from '../../contributions';
import type { PulledImage } from './pulledImage';
import { setContext } from '../setContext';
import { readSettings } from '../settings';

/** Tells `when` clauses what does not depend on a sandbox: whether there is an image, and whether there can be one. */
export async function announceContext(pulledImage: PulledImage): Promise<void> {
  await setContext(contextKeys.unsupported, process.platform !== 'linux');
  await setContext(contextKeys.hasImage, await isThere(await pulledImage.orChosen(chosenImage())));
}

async function isThere(image: string): Promise<boolean> {
  return access(image).then(
    () => true,
    () => false,
  );
}

/** Empty also while a setting is wrong: starting a sandbox says which. */
function chosenImage(): string {
  try {
    return readSettings(vscode.workspace.getConfiguration(settingsSection)).image;
  } catch {
    return '';
  }
}
