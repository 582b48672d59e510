// `npm run try`, `npm test`, `npm run bench` and `npm run probes` start here, on a fresh clone with nothing installed: Node's own modules only.
// Root hands over to an ordinary user; an ordinary user gets the node packages, and the real program runs:
// scripts/try/main.ts, scripts/test/main.ts, scripts/bench/main.ts or scripts/probes/main.ts.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { helpTexts } from './run/help.mjs';
import { Refusal } from './run/refusal.mjs';

const oldestNode = 20;
const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const [name, ...given] = process.argv.slice(2);
const args = given.filter((argument) => argument !== '--yes');

try {
  if (!Object.hasOwn(helpTexts, name ?? '')) {
    throw new Refusal('Use “npm run try”, “npm test”, “npm run bench” or “npm run probes”.');
  }
  if (args.includes('--help')) {
    console.log(helpTexts[name]);
    process.exit();
  }
  if (Number(process.versions.node.split('.')[0]) < oldestNode) {
    throw new Refusal(`Node.js ${process.versions.node} is too old. Install Node.js ${oldestNode} or newer.`);
  }
  if (process.getuid?.() === undefined || process.platform !== 'linux') {
    throw new Refusal('Sandboxed Agent works on Linux only (in WSL2 too).');
  }
  if (process.getuid() === 0) {
    const agreed = args.length < given.length || process.env.CI === 'true';
    const { runAsOrdinaryUser } = await import('./run/asOrdinaryUser.mjs');
    process.exitCode = await runAsOrdinaryUser({ repository, name, args, agreed });
  } else {
    const { runScript } = await import('./run/script.mjs');
    await runScript({ repository, name, args });
  }
} catch (error) {
  if (!(error instanceof Refusal)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 2;
}
