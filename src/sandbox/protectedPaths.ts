import { commandIds, settingKeys, settingName } from '../contributions';
import { message, type Message } from './message';
import { UserError } from './userError';

/** `readOnly`: repositories are bound read-only. `writable`: they are watched like everything else. */
export type GitMode = (typeof gitModes)[number];

/** All modes, the strictest first. */
export const gitModes = ['readOnly', 'writable'] as const;

/** What a repository, a work tree or a submodule is known by: a folder, or a file that names one (gitrepository-layout(5)). */
export const gitName = '.git';

/**
 * What the host acts on by itself when somebody opens the folder, enters it, or pushes it; the default of the setting
 * `protectedPaths`, as the manifest has it.
 */
export const defaultProtectedPaths: readonly string[] = [
  '.vscode',
  '.devcontainer',
  '.devcontainer.json',
  '.github',
  '.gitlab-ci.yml',
  '.envrc',
  '.husky',
  '.idea',
  '*.code-workspace',
  '.pre-commit-config.yaml',
  '.mise.toml',
  'mise.toml',
  '.tool-versions',
];

/** More read-only binds than this are refused: Apptainer makes each by itself, and each is verified every 2 s. */
export const maximumProtectedPaths = 256;

/** Says whether it matches a name. */
export interface NamePattern {
  test(name: string): boolean;
}

/** One entry of the setting, taken apart. */
export interface ProtectedPattern {
  /** one for each name of the path; all must match */
  readonly names: readonly NamePattern[];
  /** each name as it is written, undefined where it has a `*` */
  readonly literals: readonly (string | undefined)[];
  /** what to call it where no name from the folder may appear */
  readonly rule: string;
}

/**
 * Checks and takes apart the entries of the setting: relative paths, `*` for any part of a name. Names are compared
 * without case, because some file systems do.
 * @throws UserError `setting.invalid`
 */
export function readProtectedPatterns(entries: readonly string[]): ProtectedPattern[] {
  return [...new Set(entries)].map((entry) => {
    // the length first: the agent can write a workspace's settings
    if (entry.startsWith('/') || entry.length > 1000) throw invalidPatterns();
    const names = entry.replace(/^\.\//, '').replace(/\/+$/, '').split('/');
    if (!names.every(isPlainName)) throw invalidPatterns();
    const literals = names.map((name) => (name.includes('*') ? undefined : name));
    return { names: names.map(namePattern), literals, rule: ruleOf(entry) };
  });
}

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/^\*+$/.test(name) && !/\p{Cc}/u.test(name);
}

/**
 * The agent can write the settings of a workspace: with several `*` a regular expression takes some 20 times as long for
 * each more (measured: 16 s with five and a name of 250 letters), so there the parts are looked for one after the other.
 */
function namePattern(name: string): NamePattern {
  const parts = name.split(/\*+/);
  if (parts.length > 2) {
    const folded = parts.map(fold);
    return { test: (candidate) => hasParts(fold(candidate), folded) };
  }
  const escaped = parts.map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[^]*?')}$`, 'iu');
}

/** Whether a name begins with the first part, ends with the last, and has the others in between, in their order. */
function hasParts(name: string, parts: readonly string[]): boolean {
  const [first = '', ...middle] = parts;
  const last = middle.pop() ?? '';
  const end = name.length - last.length;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of middle) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** The same text for names that differ by case alone, character by character: sigma depends on what is around it. */
function fold(name: string): string {
  return Array.from(name, (character) => character.toUpperCase().toLowerCase()).join('');
}

/** The agent can write the settings of a workspace, so only our own entries are called by their name. */
function ruleOf(entry: string): string {
  return defaultProtectedPaths.includes(entry) || entry === gitName
    ? entry
    : settingName(settingKeys.protectedPaths);
}

/**
 * The entries that count: those of the user and those of the workspace, which can only add some.
 * @param values of all levels; undefined where it is not set
 * @throws UserError `setting.invalid`
 */
export function strictestProtectedPaths(values: readonly unknown[]): string[] {
  const entries = values.filter((value) => value !== undefined).flatMap(textList);
  readProtectedPatterns(entries);
  return [...new Set(entries)];
}

function textList(value: unknown): string[] {
  if (!Array.isArray(value) || value.length > 1000) throw invalidPatterns();
  return value.map((entry: unknown) => {
    if (typeof entry !== 'string') throw invalidPatterns();
    return entry;
  });
}

function invalidPatterns(): UserError {
  const setting = settingName(settingKeys.protectedPaths);
  return new UserError(
    'setting.invalid',
    message(
      'The setting {0} must be a list of paths below the folder, like .vscode or config/*.json: without .. and not starting with /.',
      setting,
    ),
    { kind: 'openSetting', setting },
  );
}

/** Why something that should be read-only can't be. */
export type ProtectionProblem = 'symbolicLink' | 'notAFile' | 'hardLinked' | 'unreadable';

/**
 * The error for something that should be read-only in the sandbox and can't be made so.
 * @param rule as {@link ProtectedPattern} has it
 * @param where the very path, for the log
 */
export function protectionRefusal(
  problem: ProtectionProblem,
  rule: string,
  workspace: string,
  where: string,
): UserError {
  return new UserError(
    `protected.${problem}`,
    describeProblem(problem, rule, workspace),
    { kind: 'showLog' },
    { cause: new Error(`${problem}: ${JSON.stringify(where)}`) },
  );
}

function describeProblem(problem: ProtectionProblem, rule: string, workspace: string): Message {
  switch (problem) {
    case 'symbolicLink':
      return message(
        'In {1}, something that must be read-only for the agent ({0}) is a symbolic link, which the agent could replace. Put a file or a folder in its place, or remove it. The log says where it is.',
        rule,
        workspace,
      );
    case 'notAFile':
      return message(
        'In {1}, something that must be read-only for the agent ({0}) is neither a file nor a folder. Remove it. The log says where it is.',
        rule,
        workspace,
      );
    case 'hardLinked':
      return message(
        'In {1}, a file that must be read-only for the agent ({0}) has a second name (a hard link), through which the agent could change it. Put a copy in its place. The log says where it is.',
        rule,
        workspace,
      );
    case 'unreadable':
      return message(
        'In {0}, there is a folder of yours that can’t be looked into, so what must be read-only for the agent can’t be found in it. Look at what it holds, and give yourself the rights to read and enter it (chmod u+rwx). The log says where it is.',
        workspace,
      );
  }
}

/** The error for what another sandbox can't write, and this one could. @param where the very path, for the log */
export function protectedInHome(workspace: string, where: string): UserError {
  return new UserError(
    'protected.inHome',
    message(
      'In {0}, another sandbox works that can only read something in a folder which is to be the agent’s home, where the agent can write everything. Stop that sandbox first, or choose another home (setting {1}). The log says what it is.',
      workspace,
      settingName(settingKeys.agentHome),
    ),
    { kind: 'runCommand', command: commandIds.stop },
    { cause: new Error(`inHome: ${JSON.stringify(where)}`) },
  );
}

/** The error for a folder in which too much would have to be read-only. */
export function tooManyProtected(workspace: string): UserError {
  return new UserError(
    'protected.tooMany',
    message(
      '{0} holds more than {1} repositories and files that must be read-only for the agent. Open a folder with fewer of them, or change the setting {2}.',
      workspace,
      maximumProtectedPaths,
      settingName(settingKeys.git),
    ),
    { kind: 'openSetting', setting: settingName(settingKeys.git) },
  );
}
