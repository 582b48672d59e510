import { parse, type ParseError } from 'jsonc-parser';
import { basename } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { type GitSetting, readGitConfiguration } from './gitConfiguration';

/**
 * The part of a guarded file that makes something run, as text to compare: a new version number in `package.json` is
 * nobody's business here. Where it can't be told, all of it.
 * @param path below the workspace
 * @returns undefined when there is nothing in it that matters
 */
export function relevantPart(path: string, content: Buffer): string | undefined {
  const text = content.toString('latin1');
  try {
    return partOf(path, text, content);
  } catch (error) {
    // an agent can nest brackets so deep that the parser finds no end; all else must be looked at all the same
    if (error instanceof RangeError) return text;
    throw error;
  }
}

function partOf(path: string, text: string, content: Buffer): string | undefined {
  const name = basename(path).toLowerCase();
  if (name === 'package.json') return packagePart(text);
  // opencode adds the address of its schema by itself (seen)
  if (/^opencode\.jsonc?$/.test(name)) return withoutEntry(text, (key) => key === '$schema');
  if (name === '.gitattributes') return attributesPart(text);
  if (name === 'pyproject.toml') return pythonPart(content.toString());
  if (/(^|\/)\.git\/(.*\/)?config(\.worktree)?$/i.test(path)) return gitPart(text);
  if (/(^|\/)\.vscode\/settings\.json$/i.test(path)) return withoutEntry(text, isOurs);
  return text;
}

/** Lifecycle scripts, tasks of the editor, programs that are linked, tools that read their configuration here. */
function packagePart(text: string): string | undefined {
  const parsed = readObject(text);
  if (parsed === undefined) return text;
  const keys = ['scripts', 'bin', 'workspaces', 'packageManager', 'husky', 'lint-staged', 'pre-commit'];
  const tools = ['eslintConfig', 'prettier', 'babel', 'jest', 'ava', 'mocha', 'c8', 'nyc', 'type', 'main'];
  const found = [...keys, ...tools].filter((key) => parsed[key] !== undefined);
  return found.length === 0 ? undefined : JSON.stringify(found.map((key) => [key, parsed[key]]));
}

/** A larger one is compared as a whole: people write some kilobytes. */
const maximumTomlLength = 256 * 1024;

/** Tables of `project` that name programs (PEP 621). */
const pythonPrograms = ['scripts', 'gui-scripts', 'entry-points'];

/** Tools that only read what they are told: they load no code that their table names. */
const readingTools = new Set([
  ...['black', 'ruff', 'isort', 'pyright', 'basedpyright'],
  ...['codespell', 'typos', 'yapf', 'pydocstyle', 'vulture'],
]);

/** Parts of Poetry's table that run something; the others name the project and what it needs. */
const poetryPrograms = ['build', 'scripts', 'plugins'];

/** What names a build back-end (PEP 518), its hooks, programs, or commands and plug-ins of tools. */
function pythonPart(text: string): string | undefined {
  const parsed = readToml(text);
  if (parsed === undefined) return text;
  const tools = Object.entries(tableOf(parsed['tool'])).flatMap(([name, table]) => {
    if (readingTools.has(name)) return [];
    return name === 'poetry' ? [[name, pick(tableOf(table), poetryPrograms)]] : [[name, table]];
  });
  const found = [parsed['build-system'], pick(tableOf(parsed['project']), pythonPrograms), tools];
  return JSON.stringify(found) === '[null,[],[]]' ? undefined : JSON.stringify(found);
}

/** @returns undefined when it is not understood, as whoever builds with it may understand it */
function readToml(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.length > maximumTomlLength) return undefined;
  try {
    return parseToml(text, { maxDepth: 100 });
  } catch {
    return undefined;
  }
}

function tableOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function pick(table: Readonly<Record<string, unknown>>, keys: readonly string[]): [string, unknown][] {
  return keys.flatMap((key): [string, unknown][] => (table[key] === undefined ? [] : [[key, table[key]]]));
}

/** Of a repository's configuration all but what names branches and people, which git itself changes all the time. */
function gitPart(text: string): string | undefined {
  const { settings, isWhole } = readGitConfiguration(text);
  if (!isWhole) return text;
  const kept = settings.filter((setting) => !isUsual(setting));
  return kept.length === 0 ? undefined : JSON.stringify(kept);
}

function isUsual({ section, subsection, key, value }: GitSetting): boolean {
  // a helper of git, which may run whatever the address names (gitremote-helpers(7))
  if (value?.includes('::') === true) return false;
  if (['branch', 'user', 'color'].includes(section)) return true;
  if (section === 'remote') return ['url', 'fetch', 'pushurl', 'tagopt', 'prune'].includes(key);
  return section === 'core' && subsection === undefined && usualCore.has(key);
}

/** What git writes into each repository that it makes. */
const usualCore = new Set([
  ...['repositoryformatversion', 'filemode', 'bare', 'logallrefupdates', 'ignorecase', 'precomposeunicode'],
]);

/** Drivers that git has itself and that run nothing (gitattributes(5)); of the same name in a configuration they would. */
const ownDrivers =
  /^(merge=(text|binary|union)|diff=(ada|bash|bibtex|cpp|csharp|css|dts|elixir|fortran|fountain|golang|html|java|kotlin|markdown|matlab|objc|pascal|perl|php|python|ruby|rust|scheme|tex))$/;

/** Between words, for git; and a pattern is quoted only where git can make sense of the quotes. */
const attributeGaps = /[ \t\r"]+/;

/** The lines that give files to a filter or a driver. What is a pattern in them is not asked: it may be two for git. */
function attributesPart(text: string): string | undefined {
  const lines = text.split(/\r?\n/).filter((line) => {
    const given = line.split(attributeGaps).filter((each) => /^(filter|diff|merge)=/.test(each));
    return given.some((each) => !ownDrivers.test(each)) && !line.startsWith('#');
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** The one setting with which we put git at rest. */
function isOurs(key: string, value: unknown): boolean {
  return key === 'git.enabled' && value === false;
}

/** All entries of an object but some, whatever it looks like. */
function withoutEntry(
  text: string,
  isHarmless: (key: string, value: unknown) => boolean,
): string | undefined {
  const parsed = readObject(text);
  if (parsed === undefined) return text;
  const others = Object.entries(parsed).filter(([key, value]) => !isHarmless(key, value));
  return others.length === 0 ? undefined : JSON.stringify(others);
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const errors: ParseError[] = [];
  const parsed: unknown = parse(text, errors, { allowTrailingComma: true });
  const isRead =
    errors.length === 0 && typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  return isRead && !inherits(parsed) ? (parsed as Readonly<Record<string, unknown>>) : undefined;
}

/** Whether there is an entry `__proto__`: a program that reads the file in the same way finds what is in it, and we don't. */
function inherits(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === (Array.isArray(value) ? Array.prototype : Object.prototype);
  return !isPlain || Object.values(value).some(inherits);
}
