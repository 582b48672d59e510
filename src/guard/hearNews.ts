import { closeSync } from 'node:fs';
import { codeOf, entryPath } from '../host/safeFiles';
import { listOpenFolder } from './listFolder';
import { openBelow, type OpenFolder } from './openBelow';
import { ruleByLink } from './rules';
import { mostInFolder } from './scanTree';
import { takeBreak } from './takeBreak';
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

/**
 * Looks at what the kernel has told of: first where little happened, and at names that are guarded before others. What
 * goes wrong with one entry stops nothing that follows.
 * @throws the first that went wrong, after all the others were looked at; at once when the signal says so
 */
export async function hearNews(news: readonly FolderNews[], hearing: Hearing): Promise<void> {
  const isLarge = ({ names }: FolderNews): boolean => names === 'all';
  const failures: unknown[] = [];
  for (const each of [...news.filter((some) => !isLarge(some)), ...news.filter(isLarge)]) {
    await hearOf(each, hearing, failures);
  }
  if (failures.length > 0) throw failures[0];
}

async function hearOf({ path, names }: FolderNews, hearing: Hearing, failures: unknown[]): Promise<void> {
  let folder: OpenFolder;
  try {
    folder = openBelow(hearing.workspace, path);
  } catch (error) {
    // too many descriptors are open: that says nothing of the folder
    if (['EMFILE', 'ENFILE', 'ENOMEM'].includes(codeOf(error) ?? '')) failures.push(error);
    else hearing.gone(path);
    return;
  }
  try {
    let breakAt = 0;
    const all = names === 'all' ? await namesIn(folder, path, hearing) : names;
    for (const { name, below } of guardedFirst(path, all)) {
      await hearing.at(below, entryPath(folder, name)).catch((error: unknown) => failures.push(error));
      if (performance.now() > breakAt) breakAt = await takeBreak(hearing.signal);
    }
  } finally {
    closeSync(folder.fd);
  }
}

interface Named {
  readonly name: string;
  /** its path below the workspace */
  readonly below: string;
}

/** An agent can make ten thousand other folders beside the one that matters. */
function guardedFirst(path: string, names: readonly string[]): Named[] {
  const guarded: Named[] = [];
  const others: Named[] = [];
  for (const name of names) {
    const below = path === '' ? name : `${path}/${name}`;
    (ruleByLink(below) === undefined ? others : guarded).push({ name, below });
  }
  return [...guarded, ...others];
}

/** What is in a folder in which much has happened, as far as it is looked at while others wait. */
async function namesIn(folder: OpenFolder, path: string, { listed, signal }: Hearing): Promise<string[]> {
  const { entries, hasMore } = await listOpenFolder(folder, mostInFolder, signal);
  listed(path, hasMore);
  return entries.map(({ name }) => name);
}
