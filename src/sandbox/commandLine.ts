import { message } from './message';
import { containerArguments, launchEnvironment, shellScript } from './launchPlan';
import { runDirectoryAt, type RunDirectory, temporaryFoldersAt } from './runDirectory';
import { seccompProfile } from './seccompProfile';
import type { SandboxSpecification } from './specification';
import { UserError } from './userError';

/** Stands for the run directory until the command makes one; no path can hold a NUL. */
const runPlaceholder = '\0';

/** Short, and not on a network file system; the name is safe in every place of a command line. */
const makeRunDirectory = 'run=$(mktemp -d /tmp/sandboxed-agent-by-hand-XXXXXXXX)';

/** What somebody should know who runs it. */
const notes = [
  'Runs the same sandbox by hand, without the extension. Paste it into a POSIX shell.',
  'Nobody verifies this one: there is no gate, and no look at the kernel’s facts while it runs.',
  'It shares your terminal, and it ends when its program does.',
];

/** Without the extension there is no gateway. */
const noGatewayNotes = [
  'There is no gateway outside either: this one has no network at all, and the models that it is configured for',
  'can’t be reached. Set the network to open, and give opencode the key yourself, if you have to.',
];

/** A task is read from standard input. */
const taskNote = 'Type the task, then press Enter and Ctrl+D.';

/**
 * A command line that runs the sandbox of a specification by hand, with the same isolation: every variable of the
 * user's is taken away, and the files that Apptainer needs are made in a folder of their own that is removed at the
 * end. It does without the copy of opencode, which may be gone by then.
 *
 * @param hostEnvironment for Apptainer itself, as for `planLaunch`
 * @param architecture `process.arch`
 * @returns several lines of POSIX shell, to be pasted or saved as a script
 * @throws UserError for a path that can't be pasted
 */
export function commandLine(
  { opencodeCopy: _, withoutCatalogue: __, ...specification }: SandboxSpecification,
  hostEnvironment: Readonly<Record<string, string>>,
  architecture: string,
): string {
  const temporary = `${runPlaceholder}/temporary`;
  const run = { ...runDirectoryAt(runPlaceholder), temporaryFolders: temporaryFoldersAt(temporary) };
  const folders = [
    ...[run.control, run.inside, run.opencodeConfiguration, run.empty, run.home, temporary],
    ...run.temporaryFolders.map(({ source }) => source),
  ];
  const lines = [
    ...[
      ...notes,
      ...(specification.network === 'open' ? [] : noGatewayNotes),
      ...(specification.kind === 'task' ? [taskNote] : []),
    ].map((note) => `# ${note}`),
    '(',
    '  set -eu',
    '  umask 077',
    `  ${makeRunDirectory}`,
    `  trap 'rm -rf -- "$run"' EXIT`,
    `  mkdir ${folders.map(quote).join(' ')}`,
    writeFile(run.seccompProfile, seccompProfile(architecture)),
    writeFile(`${run.opencodeConfiguration}/opencode.json`, specification.opencodeConfiguration),
    ...apptainerLines(specification, run, hostEnvironment),
    ')',
  ];
  return `${lines.join('\n')}\n`;
}

function apptainerLines(
  specification: SandboxSpecification,
  run: RunDirectory,
  hostEnvironment: Readonly<Record<string, string>>,
): string[] {
  const variables = Object.entries(launchEnvironment(specification, hostEnvironment));
  const words = [
    ...variables.map(([name, value]) => `${name}=${value}`),
    specification.apptainer,
    ...containerArguments(specification, run),
    ...['--pwd', specification.workspace.path],
    specification.image.path,
    ...programOf(specification),
  ];
  refuseControlCharacters(words);
  return ['  /usr/bin/env -i', ...words.map((word) => `    ${quote(word)}`)].map((line, index, all) =>
    index === all.length - 1 ? line : `${line} \\`,
  );
}

/** What is pasted into a terminal is typed: a line break, an escape or Ctrl+C in a name would be obeyed. */
function refuseControlCharacters(words: readonly string[]): void {
  const word = words.find((candidate) => /\p{Cc}/u.test(candidate.replaceAll(runPlaceholder, '')));
  if (word !== undefined) {
    throw new UserError(
      'commandLine.controlCharacter',
      message(
        'No command line can be made for this sandbox: a terminal would not take the control characters in {0}.',
        word.replaceAll(runPlaceholder, ''),
      ),
    );
  }
}

function programOf({ kind, program }: SandboxSpecification): readonly string[] {
  switch (kind) {
    case 'run':
      return program ?? ['/bin/sh', '-c', shellScript];
    case 'shell':
      return ['/bin/sh', '-c', shellScript];
    case 'agent':
    case 'probes':
      return ['opencode'];
    case 'task':
      return ['opencode', 'run'];
  }
}

function writeFile(path: string, content: object): string {
  return `  printf %s ${quote(JSON.stringify(content))} >${quote(path)}`;
}

/**
 * A word for a POSIX shell, whatever it holds: nothing is special within single quotes but the quote itself (XCU
 * 2.2.2). The placeholder becomes the run directory.
 */
export function quote(word: string): string {
  return word
    .split(runPlaceholder)
    .map((part) => (/^[\w@%+=:,./-]*$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`))
    .join('"$run"')
    .replace(/^$/, "''");
}
