import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const namespace = 'vscode-once';

/**
 * Has a bundle take the API of VS Code once. For each file with `import * as vscode` esbuild copies the whole API, getter
 * by getter, when the bundle is loaded: with some hundred files that was a quarter of the time.
 * @param {string} sources folder with the code in which `vscode.NAME` stands for all that is used of it
 * @returns {import('esbuild').Plugin}
 */
export function vscodeOnce(sources) {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^vscode$/ }, (from) =>
        from.namespace === namespace
          ? { path: 'vscode', external: true }
          : { path: 'vscode', namespace, sideEffects: false },
      );
      build.onLoad({ filter: /.*/, namespace }, () => ({
        // what names only a type is undefined here, and nobody asks for it
        contents: `export const { ${usedNames(sources).join(', ')} } = require('vscode');`,
        loader: 'js',
      }));
    },
  };
}

function usedNames(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const names = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/\bvscode\.(\w+)/g)].map(([, used]) => used),
  );
  return [...new Set(names)].sort();
}
