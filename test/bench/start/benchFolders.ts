import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../../src/host/removeTree';

/** The folders of one measurement. */
export interface BenchFolders {
  readonly workspace: string;
  /** of the plain command */
  readonly plainHome: string;
  /** of the extension */
  readonly storage: string;
  /** what the supervisor's Node has compiled */
  readonly compiledCode: string;
  remove(): Promise<void>;
}

export function makeBenchFolders(): BenchFolders {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'bench-')));
  const [workspace, plainHome, storage] = ['workspace', 'home', 'storage'].map((name) => join(root, name));
  const folders = { workspace: workspace ?? '', plainHome: plainHome ?? '', storage: storage ?? '' };
  const compiledCode = join(folders.storage, 'compiled');
  [...Object.values(folders), compiledCode].forEach((folder) => mkdirSync(folder, { mode: 0o700 }));
  return { ...folders, compiledCode, remove: () => removeTree(root) };
}
