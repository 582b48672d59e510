import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { parseAs } from '../../../src/sandbox/parseAs';
import { finite, record } from '../../../src/sandbox/schemas';

/** Where a program in a sandbox can look, with something that it must find there, or the search is none. */
const places = {
  environments: { pattern: '/proc/[0-9]*/environ', contains: 'HTTP_PROXY=' },
  commandLines: { pattern: '/proc/[0-9]*/cmdline', contains: 'companion.mjs' },
  home: { pattern: '/home/agent', contains: 'SQLite format 3' },
  temporary: { pattern: '/tmp', contains: 'SEARCH_CONTROL' },
  configuration: { pattern: '/etc/opencode', contains: 'apiKey' },
  // the companion is there
  runDirectory: { pattern: '/run/sandboxed-agent', contains: 'import' },
} as const;

type Place = keyof typeof places;
const allPlaces = Object.keys(places) as Place[];

/** Names of the script and of what it finds, in the workspace. */
const scriptName = 'search.py';
const resultName = 'search.json';

const result = record(v.string(), v.object({ read: finite, found: v.array(v.string()), controls: finite }));

/** The command that runs the search, for an agent's shell. */
export const searchCommand = `python3 ${scriptName}`;

/** Puts a script into a workspace that searches these texts as a program in the sandbox can. It does not hold them. */
export function writeSearch(workspace: string, secrets: readonly string[], names = allPlaces): void {
  const reversed = secrets.map((secret) => [...secret].reverse().join(''));
  const searched = Object.fromEntries(names.map((name) => [name, places[name]]));
  const lines = [
    'import glob, json, os, stat',
    `secrets = [secret[::-1].encode() for secret in ${JSON.stringify(reversed)}]`,
    "open('/tmp/control', 'w').write('SEARCH_CONTROL')",
    'def files(pattern):',
    '  for top in glob.glob(pattern):',
    '    if not os.path.isdir(top): yield top',
    '    for folder, _, names in os.walk(top):',
    '      for name in names: yield os.path.join(folder, name)',
    'def search(pattern, contains):',
    '  read, found, controls = 0, [], 0',
    '  for path in files(pattern):',
    '    try:',
    '      if not stat.S_ISREG(os.lstat(path).st_mode): continue',
    "      text = open(path, 'rb').read()",
    '    except OSError: continue',
    '    read += 1',
    '    if any(secret in text for secret in secrets): found.append(path)',
    '    if contains.encode() in text: controls += 1',
    "  return {'read': read, 'found': found, 'controls': controls}",
    `places = json.loads(${JSON.stringify(JSON.stringify(searched))})`,
    `result = {name: search(**place) for name, place in places.items()}`,
    `json.dump(result, open('${resultName}.partial', 'w'))`,
    `os.rename('${resultName}.partial', '${resultName}')`,
  ];
  writeFileSync(join(workspace, scriptName), `${lines.join('\n')}\n`);
}

/**
 * What the search found.
 * @returns paths as seen from inside that hold the bytes
 * @throws Error when some place was not searched for real
 */
export function readSearch(workspace: string, names = allPlaces): string[] {
  const found = parseAs(result, JSON.parse(readFileSync(join(workspace, resultName), 'utf8')));
  for (const name of names) {
    if (!found[name]?.controls) throw new Error(`${name} was not searched: ${JSON.stringify(found[name])}`);
  }
  return Object.values(found).flatMap((place) => place.found);
}
