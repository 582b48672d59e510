// `npm run probes`: the battery against our launcher and others, side by side.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { proofDocument, type ProofDocument } from '../../src/probes/result';
import { Canaries } from '../../src/probes/host/canaries';
import { runBattery, type JudgedProbe } from '../../src/probes/host/battery';
import type { Target } from '../../src/probes/host/target';
import { ensureApptainer } from '../setup/apptainer';
import { runCommand } from '../setup/command';
import { ensureDebianImage } from '../setup/debianImage';
import { cacheFolder, repositoryFolder } from '../setup/paths';
import { step } from '../setup/progress';
import { readArguments, type TargetName } from './arguments';
import { comparison, sideBySide } from './sideBySide';
import { bubblewrapTarget, sandboxRuntimeTarget } from './otherTargets';
import { oursTarget, plainTarget, type TargetParts } from './targets';

async function main(signal: AbortSignal): Promise<void> {
  const { names, json, markdown } = readArguments(process.argv.slice(2));
  await step('Building', () => runCommand(process.execPath, ['scripts/build.mjs']));
  const apptainer = process.env['SANDBOXED_AGENT_TEST_APPTAINER'] ?? (await ensureApptainer());
  const parts: TargetParts = {
    apptainer,
    image: process.env['SANDBOXED_AGENT_TEST_IMAGE'] ?? (await ensureDebianImage(apptainer)),
    bundles: join(repositoryFolder, 'dist'),
    nodePty: join(repositoryFolder, 'node_modules/node-pty'),
  };
  const runs: ProofDocument[] = [];
  for (const name of names) {
    const target = await makeTarget(name, parts);
    const judged = await step(`Trying to get out of ${name}`, () => runOne(target, signal));
    runs.push(proofDocument(name, target.describe(), judged, Date.now()));
  }
  console.log(sideBySide(runs));
  if (markdown !== undefined) writeFileSync(markdown, comparison(runs));
  if (json !== undefined) {
    writeFileSync(json, `${JSON.stringify(runs.length === 1 ? runs[0] : runs, undefined, 2)}\n`);
    console.log(`\nwritten: ${resolve(json)}`);
  }
}

function makeTarget(name: TargetName, parts: TargetParts): Promise<Target> {
  switch (name) {
    case 'ours':
      return oursTarget(parts);
    case 'plain':
      return plainTarget(parts);
    case 'bwrap':
      return bubblewrapTarget(parts);
    case 'srt':
      return sandboxRuntimeTarget(parts);
  }
}

async function runOne(target: Target, signal: AbortSignal): Promise<JudgedProbe[]> {
  // some sandboxes hide all of /tmp
  mkdirSync(join(cacheFolder, 'probes'), { recursive: true });
  const parent = join(cacheFolder, 'probes');
  const canaries = await Canaries.plant({ environment: process.env, parent });
  try {
    return await runBattery({ target, canaries, signal, onProblem: console.error });
  } finally {
    await canaries.remove();
  }
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
}
main(stop.signal).then(
  // node-pty keeps a process alive
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
