/** One setting of a configuration of git, as git itself reads it (git-config(1), and git's config.c). */
export interface GitSetting {
  /** in lower case; of `[branch "x"]` and of `[branch.x]` it is `branch` */
  readonly section: string;
  readonly subsection: string | undefined;
  /** in lower case */
  readonly key: string;
  /** undefined where there is no `=`: git takes that for `true` */
  readonly value: string | undefined;
}

export interface GitConfiguration {
  readonly settings: readonly GitSetting[];
  /** false: git stops there with an error, after what comes before */
  readonly isWhole: boolean;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\\': '\\', '"': '"' };

/** What git takes for empty; `\s` has more, of which some are parts of characters here. */
const space = /[ \t\r\n]+/y;
const comment = /[#;][^\n]*/y;
/** a header, after which more may stand on the line */
const header = /\[([A-Za-z0-9.-]*)(?:[ \t\r]+"([^"\\\n]*(?:\\[^\n][^"\\\n]*)*)")?\]/y;
const keyName = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;

/** Reads a configuration: headers and settings on one line, continued lines, quotes, comments and all. */
export function readGitConfiguration(text: string): GitConfiguration {
  // a byte order mark, read as UTF-8 or as latin1, and ends of lines as git takes them
  const input = text.replace(/^(\ufeff|\u00ef\u00bb\u00bf)/, '').replaceAll('\r\n', '\n');
  const settings: GitSetting[] = [];
  let named: Pick<GitSetting, 'section' | 'subsection'> = { section: '', subsection: undefined };
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(input);
    if (found) at = pattern.lastIndex;
    return found;
  };
  for (;;) {
    while (take(space) ?? take(comment));
    if (at >= input.length) return { settings, isWhole: true };
    const headed = take(header);
    if (headed) {
      named = sectionOf(headed[1] ?? '', headed[2]);
      continue;
    }
    const key = take(keyName)?.[1]?.toLowerCase();
    if (key === undefined) return { settings, isWhole: false };
    let value: string | undefined;
    if (input[at] === '=') {
      const read = readValue(input, at + 1);
      if (read === undefined) return { settings, isWhole: false };
      ({ value, end: at } = read);
    } else if (at < input.length && input[at] !== '\n') {
      return { settings, isWhole: false };
    }
    settings.push({ ...named, key, value });
  }
}

function sectionOf(name: string, quoted: string | undefined): Pick<GitSetting, 'section' | 'subsection'> {
  const dot = name.indexOf('.');
  const section = (dot < 0 ? name : name.slice(0, dot)).toLowerCase();
  const dotted = dot < 0 ? undefined : name.slice(dot + 1);
  return { section, subsection: quoted?.replace(/\\(.)/g, '$1') ?? dotted };
}

/** @returns undefined where git says that it is wrong */
function readValue(input: string, start: number): { value: string; end: number } | undefined {
  let value = '';
  let spaces = '';
  let isQuoted = false;
  let isComment = false;
  let at = start;
  for (; at < input.length && input[at] !== '\n'; at += 1) {
    const character = input.charAt(at);
    if (isComment) continue;
    if (!isQuoted && /[ \t\r]/.test(character)) {
      if (value !== '') spaces += character;
      continue;
    }
    if (!isQuoted && /[#;]/.test(character)) {
      isComment = true;
      continue;
    }
    value += spaces;
    spaces = '';
    if (character === '"') {
      isQuoted = !isQuoted;
    } else if (character === '\\') {
      at += 1;
      if (at >= input.length || input[at] === '\n') continue;
      const escaped = escapes[input.charAt(at)];
      if (escaped === undefined) return undefined;
      value += escaped;
    } else {
      value += character;
    }
  }
  return isQuoted ? undefined : { value, end: at };
}
