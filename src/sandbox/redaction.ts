/** What of this computer must not be told, so that it can be named by what it is. */
export interface PrivateNames {
  readonly home: string;
  readonly user: string;
  readonly host: string;
  /** the folders of the window, each with all the paths by which it is known */
  readonly folders: readonly string[];
}

/** Stands for everything that is not known to be harmless. */
const withheld = '<…>';

/** What follows a word that ends with one of these is never told, to the end of its line, whatever it looks like. */
const beforeSecrets =
  /(?:^|[-_.]|[a-z](?=[A-Z]))(?:key|token|secret|pass|password|passwd|passphrase|credentials?|auth|authorization|bearer)$/i;

/** How well-known keys begin. */
const keyPrefix = /^(?:(?:sk|pk|rk|hf|gh[opsu]|github|glpat|xox[abprs])[-_]|akia|asia|aiza|eyj)/i;

/** Paths that every Linux has; what is below them is told. */
const publicPath = /^\/(?:usr|bin|sbin|lib|lib64|proc|sys|dev)(?:\/[\w.@+-]{1,40})*\/?$/;

/**
 * What a word of a log may look like: an allow-list, because no list of what is secret is ever complete. Words of a
 * language, identifiers of a program, options, numbers, versions, dates.
 */
const harmless: readonly RegExp[] = [
  /^[A-Z]?[a-z’]{0,24}$/,
  /^[A-Z_]{1,16}$/,
  /^[a-z]{1,20}(?:-[a-z]{1,20}){1,4}$/,
  /^(?:[A-Za-z][a-z]{0,20}(?:[A-Z][a-z]{1,20}){0,5})(?:\.[A-Za-z][a-z]{0,20}(?:[A-Z][a-z]{1,20}){0,5}){0,4}$/,
  /^--?[a-z][a-z-]{0,30}$/,
  /^[+-]?\d{1,12}(?:\.\d{1,6})?%?(?:ms|s|B|kB|MB|GB|KiB|MiB|GiB)?$/,
  /^v?\d{1,4}(?:\.\d{1,5}){1,2}(?:-[a-z]{1,10}(?:\.\d{1,4})?)?$/,
  /^\d{4}-\d{2}-\d{2}(?:T\d{2})?$/,
  /^[-–—·…•*+.!?/&|~^#%@$]{1,3}$/,
];

/**
 * A line for the user's own log, without the name and password in the address of a proxy: what a build runs can print the
 * variables that it gets.
 */
export function withoutCredentials(text: string): string {
  return text.replace(/\b(https?:\/\/)[^\s/"'<>]*@/gi, `$1${withheld}@`);
}

/**
 * A text for somebody else's eyes: what is not known to be harmless is withheld. Line breaks stay.
 * @param text for example the last lines of a log
 */
export function redact(text: string, names: PrivateNames): string {
  return withoutPaths(text, names)
    .split('\n')
    .map((line) => redactLine(line, names))
    .join('\n');
}

function redactLine(line: string, names: PrivateNames): string {
  let afterSecretWord = false;
  return line
    .split(/(<[a-z]+(?: \d+)?>|[\s"'`()[\]{},;:=<>]+)/)
    .map((part, index) => {
      if (index % 2 === 1 || part === '') {
        return part;
      }
      const word = afterSecretWord ? withheld : redactWord(part, names);
      afterSecretWord ||= beforeSecrets.test(part);
      return word;
    })
    .join('');
}

function redactWord(word: string, { user, host, folders }: PrivateNames): string {
  const [core, end] = splitEnd(word);
  if (core !== '' && (core === user || core === host)) {
    return (core === user ? '<user>' : '<host>') + end;
  }
  if (core.startsWith('~')) {
    return core === '~' ? word : '~/<path>';
  }
  if (core.includes('/')) {
    return publicPath.test(core) ? word : `<path>${end}`;
  }
  const parts = folders.flatMap((folder) => (folder.split('/').at(-1) ?? '').split(' '));
  if (core !== '' && (parts.includes(core) || (host !== '' && core.includes(host)))) {
    return withheld + end;
  }
  const isHarmless = core === '' || (!keyPrefix.test(core) && harmless.some((shape) => shape.test(core)));
  return isHarmless ? word : withheld + end;
}

/** A word, and the punctuation that it ends with. */
function splitEnd(word: string): [string, string] {
  let length = word.length;
  while (length > 0 && '.!?…'.includes(word.charAt(length - 1))) length -= 1;
  return [word.slice(0, length), word.slice(length)];
}

/** The longest first: a folder in the home, then the home. */
function withoutPaths(text: string, { home, folders }: PrivateNames): string {
  const replacements: [string, string][] = [
    ...[...folders]
      .sort((one, other) => other.length - one.length)
      .map((folder): [string, string] => [folder, `<folder ${folders.indexOf(folder) + 1}>`]),
    [home, '~'],
  ];
  return replacements.reduce(
    (result, [from, to]) => (from.length > 1 ? result.replaceAll(from, to) : result),
    text,
  );
}
