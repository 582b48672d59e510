// Bundles what the extension ships into dist/: the extension, the supervisor (a process of its own) and the
// companion (runs inside the sandbox under the image's Bun), with the licences of what is in them, and the page of the
// installed extension. `--production` minifies.
import { build } from 'esbuild';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { thirdPartyNotices } from './build/notices.mjs';
import { packagedReadme } from './build/packagedReadme.mjs';
import { vscodeOnce } from './build/vscodeOnce.mjs';

const production = process.argv.includes('--production');
rmSync('dist', { recursive: true, force: true });
// vsce does not make the folder of the package
mkdirSync('out', { recursive: true });

const common = {
  bundle: true,
  platform: 'node',
  sourcemap: production ? false : 'linked',
  minify: production,
  // they are in the notices
  legalComments: 'none',
  metafile: true,
  // jsonc-parser's UMD entry does not bundle
  mainFields: ['module', 'main'],
  logLevel: 'warning',
};
const results = await Promise.all([
  build({
    ...common,
    entryPoints: {
      extension: 'src/loader.ts',
      window: 'src/extension.ts',
      supervisor: 'src/supervisor/main.ts',
      gateway: 'src/gateway/thread.ts',
      scriptKeeper: 'src/supervisor/scriptMain.ts',
      snapshots: 'src/host/snapshot/thread.ts',
    },
    outdir: 'dist',
    format: 'cjs',
    target: 'node20',
    // node-pty is native: VS Code's own copy is loaded at run time by its path
    external: ['node-pty'],
    plugins: [vscodeOnce('src')],
  }),
  build({
    ...common,
    entryPoints: {
      companion: 'src/companion/main.ts',
      probes: 'src/probes/inside/main.ts',
      sessionReader: 'src/reader/main.ts',
      sessionEditor: 'src/sessionEditor/main.ts',
      sessionKeeper: 'src/sessionKeeper/main.ts',
    },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    target: 'es2022',
    sourcemap: false,
    // Bun's own
    external: ['bun:sqlite', 'bun:ffi'],
  }),
]);
writeFileSync(
  'dist/THIRD_PARTY_NOTICES.txt',
  thirdPartyNotices(
    results.map(({ metafile }) => metafile),
    '.',
  ),
);
writeFileSync('dist/README.md', packagedReadme('.'));
