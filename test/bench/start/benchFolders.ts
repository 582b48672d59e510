import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../../src/host/removeTree';
import { image } from '../../support/environment';
import { buildAsPackaged } from '../packaged';

/** The folders of one measurement. */
export interface BenchFolders {
  /** where the others are */
  readonly root: string;
  readonly workspace: string;
  /** of the plain command */
  readonly plainHome: string;
  /** of the extension */
  readonly storage: string;
  /** what the supervisor's Node has compiled */
  readonly compiledCode: string;
  /** the bundled supervisor, as it is packaged */
  readonly supervisor: string;
  /** path of what is started */
  readonly image: string;
  remove(): Promise<void>;
}

export function makeBenchFolders(): BenchFolders {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'bench-')));
  const [workspace, plainHome, storage] = ['workspace', 'home', 'storage'].map((name) => join(root, name));
  const folders = { workspace: workspace ?? '', plainHome: plainHome ?? '', storage: storage ?? '' };
  const compiledCode = join(folders.storage, 'compiled');
  [...Object.values(folders), compiledCode].forEach((folder) => mkdirSync(folder, { mode: 0o700 }));
  const packaged = buildAsPackaged();
  return {
    ...{
      ...folders,
      root,
      image: realpathSync(image()),
      compiledCode,
      supervisor: join(packaged.folder, 'dist/supervisor.js'),
    },
    remove: async () => {
      packaged.remove();
      await removeTree(root);
    },
  };
}
