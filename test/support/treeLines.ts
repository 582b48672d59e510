import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * What a tree is: a line for each entry with its kind, permissions and content or target, names as bytes. Times,
 * inodes and hard links are left out.
 */
export function treeLines(root: string, leftOut: readonly string[] = []): string[] {
  const lines: string[] = [];
  const visit = (folder: Buffer, name: string): void => {
    for (const bytes of readdirSync(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), bytes]);
      const shown = `${name}/${bytes.toString('latin1')}`;
      if (leftOut.includes(shown.slice(1))) continue;
      const stats = lstatSync(path);
      lines.push(`${shown} ${stats.mode.toString(8)} ${stats.isDirectory() ? '' : contentOf(path)}`);
      if (!stats.isDirectory()) continue;
      // one that keeps its owner out is the same afterwards
      const isClosed = (stats.mode & 0o500) !== 0o500;
      if (isClosed) chmodSync(path, 0o700);
      visit(path, shown);
      if (isClosed) chmodSync(path, stats.mode);
    }
  };
  visit(Buffer.from(root), '');
  return lines.sort();
}

/** One hash for all of {@link treeLines}. */
export function treeHash(root: string, leftOut: readonly string[] = []): string {
  return createHash('sha256').update(treeLines(root, leftOut).join('\n')).digest('hex');
}

/** A file that its owner may not read is only told to be one. */
function contentOf(path: Buffer): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return readlinkSync(path, { encoding: 'latin1' });
  if (!stats.isFile()) return 'special';
  if ((stats.mode & 0o400) === 0) return 'not readable';
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
