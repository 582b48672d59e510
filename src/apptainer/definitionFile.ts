import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';

/** From what an image, or a stage of it, begins. */
export interface DefinitionBase {
  readonly bootstrap: string;
  readonly from: string;
}

/** What a definition file does besides commands in the image that is built. */
export interface DefinitionFacts {
  /** names of all sections, in lower case, of all stages */
  readonly sections: ReadonlySet<string>;
  /** lines of `%files` and `%appfiles` that copy from this computer: `SOURCE [DESTINATION]` */
  readonly copied: readonly string[];
  readonly bases: readonly DefinitionBase[];
  /** a value of `%arguments` could become the name of a section */
  readonly hasHiddenSections: boolean;
}

/** On the host itself, before there is an image and outside of it ("Definition Files" of Apptainer's user guide). */
const hostSections = ['pre', 'setup'] as const;
/** Their `From` is a path on this computer ("Build Modules" of the same). */
const localBootstraps = ['localimage', 'oci', 'oci-archive', 'docker-archive'];

interface Reading {
  section: string;
  /** the key of a header whose value goes on in the next line, after a backslash */
  goesOn: string | undefined;
  isFromStage: boolean;
  readonly sections: Set<string>;
  readonly copied: string[];
  readonly headers: Map<string, string>[];
  readonly values: Map<string, Set<string>>;
}

/**
 * Reads what of a definition matters before it is built. A line whose first word begins with % begins a section,
 * wherever it is; one that begins with `Bootstrap:` begins a stage, in the middle of a section, too (parser of
 * Apptainer 1.4). Where it is in doubt, this takes more for a section than Apptainer does.
 */
export function readDefinition(text: string): DefinitionFacts {
  const reading: Reading = {
    ...{ section: '', goesOn: undefined, isFromStage: false, sections: new Set<string>(), copied: [] },
    ...{ headers: [new Map<string, string>()], values: new Map<string, Set<string>>() },
  };
  const lines = text.split('\n').map(withoutOuterSpace);
  text.split('\n').forEach((line, index) => readLine(reading, lines[index] ?? '', /^bootstrap:/i.test(line)));
  const { sections, copied, headers, values } = reading;
  const all = [...values.values()].flatMap((set) => [...set]);
  return {
    sections,
    copied: copied.map((line) => filled(line, values)),
    bases: headers.filter(({ size }) => size > 0).map((header) => baseOf(header, values)),
    // values are put in before the sections are looked for again, and are never empty
    hasHiddenSections:
      all.some((value) => /^(%|\{\{)/.test(value)) && lines.some((line) => line.startsWith('{{')),
  };
}

/** Go's white space (unicode.IsSpace), which is not JavaScript's: what is no section for Apptainer must hide nothing. */
const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Not by one pattern, which would begin anew at each of the spaces in the middle of a line. */
function withoutOuterSpace(line: string): string {
  let [start, end] = [0, line.length];
  while (start < end && space.test(line.charAt(start))) start += 1;
  while (end > start && space.test(line.charAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

/** @param beginsStage only without spaces before it; else `Bootstrap:` is a line as others are */
function readLine(reading: Reading, line: string, beginsStage: boolean): void {
  const name = /^%+([^\s\u0085]*)(.*)$/s.exec(line);
  if (name) {
    reading.section = (name[1] ?? '').toLowerCase();
    reading.isFromStage = /^\s+from\s+\S+$/.test(name[2] ?? '');
    reading.sections.add(reading.section);
    return;
  }
  if (beginsStage) {
    reading.section = '';
    reading.headers.push(new Map());
    reading.goesOn = undefined;
  }
  if (line === '' || line.startsWith('#')) return;
  if (reading.section === '') readHeaderLine(reading, line);
  else if (reading.section === 'arguments') readArgument(reading, line);
  else if (reading.section === 'appfiles') reading.copied.push(line);
  else if (reading.section === 'files' && !reading.isFromStage) reading.copied.push(line);
}

function readHeaderLine(reading: Reading, line: string): void {
  const header = reading.headers.at(-1);
  const [said = ''] = line.split('#');
  const [, name, first] = /^(\w+)\s*:(.*)$/s.exec(said) ?? [];
  const key = reading.goesOn ?? name?.toLowerCase();
  if (key === undefined || header === undefined) return;
  const begun = reading.goesOn === undefined ? '' : (header.get(key) ?? '');
  const part = (reading.goesOn === undefined ? (first ?? '') : said).trim();
  reading.goesOn = part.endsWith('\\') ? key : undefined;
  header.set(key, begun + part.replace(/\\$/, ''));
}

function readArgument({ values }: Reading, line: string): void {
  const middle = line.indexOf('=');
  if (middle < 0) return;
  const [name, value] = [line.slice(0, middle).trimEnd(), line.slice(middle + 1).trimStart()];
  values.set(name, (values.get(name) ?? new Set()).add(value));
}

function baseOf(header: ReadonlyMap<string, string>, values: Reading['values']): DefinitionBase {
  const of = (key: string): string => filled(header.get(key) ?? '', values);
  return { bootstrap: of('bootstrap').toLowerCase(), from: of('from') || of('mirrorurl') };
}

/** With the values that it can get, each of which can have one more in it. */
function filled(text: string, values: Reading['values']): string {
  const fill = (from: string): string =>
    from.replace(/\{\{\s*(\w+)\s*\}\}/g, (place, name: string) => {
      const known = values.get(name);
      return known === undefined ? place : [...known].join('|');
    });
  return fill(fill(text));
}

/** Whether it begins with a file or folder of this computer. */
export function isLocalBase({ bootstrap }: DefinitionBase): boolean {
  return bootstrap.split('|').some((one) => localBootstraps.includes(one));
}

/**
 * Refuses a definition whose commands would run on this computer itself.
 * @param path of the definition file, to name it
 * @returns `build.hostSection`, `build.hiddenSections`
 */
export function refuseDefinition(facts: DefinitionFacts, path: string): UserError | undefined {
  const found = hostSections.find((name) => facts.sections.has(name));
  if (found !== undefined) {
    return new UserError(
      'build.hostSection',
      message(
        'The definition {0} has a section {1}. Its commands would run on this computer itself, as you, with all your files, and not in the image. Move them to %post, which runs in the image; or, if you trust them, build the image in a terminal of yours and use Select Image….',
        path,
        `%${found}`,
      ),
    );
  }
  if (!facts.hasHiddenSections) return undefined;
  return new UserError(
    'build.hiddenSections',
    message(
      'What the definition {0} would do can’t be told: a value of its %arguments could begin a section, with commands for this computer itself. Write its sections out.',
      path,
    ),
  );
}
