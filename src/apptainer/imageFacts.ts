import { constants } from 'node:fs';
import { stat } from 'node:fs/promises';
import { allows, followPath, kindOfError, readPlace } from '../host/folderFacts';
import type { ImageFacts } from '../sandbox/refuseImage';
import { isSifFile } from './sif';

/** What there is to know of the image that somebody configured, for `sandbox/refuseImage.ts`. */
export async function readImageFacts(configuredPath: string): Promise<ImageFacts> {
  if (!configuredPath.startsWith('/') || configuredPath.includes('\0')) {
    return {
      configuredPath,
      entries: [],
      place: { path: configuredPath, ancestry: [] },
      kind: 'missing',
      isSif: false,
    };
  }
  const { entries, end } = await followPath(configuredPath);
  const found = { configuredPath, entries, place: await readPlace(end) };
  try {
    const isFile = (await stat(configuredPath)).isFile();
    if (!isFile) return { ...found, kind: 'other', isSif: false };
    const readable = await allows(configuredPath, constants.R_OK);
    if (!readable) return { ...found, kind: 'unreachable', isSif: false };
    return { ...found, kind: 'file', isSif: await isSifFile(configuredPath) };
  } catch (error) {
    return { ...found, kind: kindOfError(error), isSif: false };
  }
}
