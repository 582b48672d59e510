import type { FileHandle } from 'node:fs/promises';
import { entryPath } from '../host/safeFiles';
import { listOpenFolder } from './listFolder';
import { openBelow } from './openBelow';
import { mostInFolder, takeBreak } from './scanTree';
import type { FolderNews } from './treeWatch';

export interface Hearing {
  /** real path */
  readonly workspace: string;
  readonly signal: AbortSignal;
  /** a folder is not there any more */
  readonly gone: (path: string) => void;
  /** a folder was listed, and whether it holds more than is looked at while others wait */
  readonly listed: (path: string, isCrowded: boolean) => void;
  /** something may have happened to an entry */
  readonly at: (path: string, place: string) => Promise<void>;
}

/** Looks at what the kernel has told of: first where little happened. */
export async function hearNews(news: readonly FolderNews[], hearing: Hearing): Promise<void> {
  const isLarge = ({ names }: FolderNews): boolean => names === 'all';
  for (const each of [...news.filter((some) => !isLarge(some)), ...news.filter(isLarge)]) {
    await hearOf(each, hearing);
  }
}

async function hearOf({ path, names }: FolderNews, hearing: Hearing): Promise<void> {
  const folder = await openBelow(hearing.workspace, path).catch(() => undefined);
  if (!folder) {
    hearing.gone(path);
    return;
  }
  try {
    let breakAt = 0;
    for (const name of names === 'all' ? await namesIn(folder, path, hearing) : names) {
      await hearing.at(path === '' ? name : `${path}/${name}`, entryPath(folder, name));
      if (performance.now() > breakAt) breakAt = await takeBreak(hearing.signal);
    }
  } finally {
    await folder.close();
  }
}

/** What is in a folder in which much has happened, as far as it is looked at while others wait. */
async function namesIn(folder: FileHandle, path: string, { listed }: Hearing): Promise<string[]> {
  const { entries, hasMore } = await listOpenFolder(folder, mostInFolder);
  listed(path, hasMore);
  return entries.map(({ name }) => name);
}
