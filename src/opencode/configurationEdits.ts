import {
  applyEdits,
  findNodeAtLocation,
  type FormattingOptions,
  type JSONPath,
  modify,
  parse,
  type ParseError,
  parseTree,
} from 'jsonc-parser';
import { isObject } from '../sandbox/jsonObject';
import { layeredObject, namesAt, parseObject, stringIn, valueAt } from './hostileJson';
import { isKey, type ProjectModel } from './projectModels';

/** A model that somebody chose for a project. */
export interface ModelChoice {
  readonly providerId: string;
  /** how the provider is reached; absent for one that opencode knows by name */
  readonly endpoint?: { readonly name: string; readonly npm: string; readonly baseUrl: string };
  readonly model: ProjectModel;
}

/** A configuration that can't be edited: it is no JSON object with comments, or says one thing twice. */
export class NotEditableError extends Error {
  override readonly name = 'NotEditableError';
}

/**
 * The text of a configuration with this model as the one to use. Comments and the form of the text stay as they are,
 * and so does everything else that the file says of the provider. Never holds a key.
 * @param text undefined when there is no file yet
 * @throws NotEditableError
 */
export function withModel(text: string | undefined, choice: ModelChoice): string {
  const { providerId, endpoint, model } = choice;
  const provider: JSONPath = ['provider', providerId];
  const { context, output } = model;
  let edited = text === undefined || text.trim() === '' ? emptyConfiguration : text;
  const set = (path: JSONPath, value: unknown): void => {
    edited = edit(edited, path, value);
  };
  if (endpoint !== undefined) {
    const isNew = Object.keys(layeredObject([parseObject(edited)], 'provider', providerId)).length === 0;
    if (isNew) {
      set(provider, { npm: endpoint.npm, name: endpoint.name, options: { baseURL: endpoint.baseUrl } });
    } else {
      set([...provider, 'options', 'baseURL'], endpoint.baseUrl);
    }
  }
  const models = layeredObject([parseObject(edited)], 'provider', providerId, 'models');
  if (!Object.hasOwn(models, model.id)) set([...provider, 'models', model.id], {});
  // one by one: the file may say more of the limits, and why
  if (context !== undefined && output !== undefined) {
    set([...provider, 'models', model.id, 'limit', 'context'], context);
    set([...provider, 'models', model.id, 'limit', 'output'], output);
  }
  set(['model'], `${providerId}/${model.id}`);
  return edited;
}

/** A key that stands in a configuration. */
export interface StandingKey {
  readonly providerId: string;
  readonly key: string;
}

/** The keys that stand in one configuration, without what only stands in the place of a key. */
export function keysIn(text: string): StandingKey[] {
  const project = parseObject(text);
  return namesAt(project, 'provider').flatMap((providerId) => {
    const key = stringIn(layeredObject([project], 'provider', providerId, 'options'), 'apiKey');
    return key !== undefined && isKey(key) ? [{ providerId, key }] : [];
  });
}

/**
 * The text of a configuration without these keys, which are kept elsewhere. Every other key stays.
 * @throws NotEditableError
 */
export function withoutKeys(text: string, kept: readonly StandingKey[]): string {
  return keysIn(text)
    .filter(({ providerId, key }) => kept.some((one) => one.providerId === providerId && one.key === key))
    .reduce(
      (edited, { providerId }) => edit(edited, ['provider', providerId, 'options', 'apiKey'], undefined),
      text,
    );
}

const emptyConfiguration = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n';

/** @throws NotEditableError when the text does not say afterwards what it should: a key stands in it twice, say */
function edit(text: string, path: JSONPath, value: unknown): string {
  const errors: ParseError[] = [];
  try {
    const root: unknown = parse(text, errors, { allowTrailingComma: true });
    if (errors.length > 0 || !isObject(root)) throw new NotEditableError('no JSON object');
    const comment = commentOfLast(text, path);
    const form = { formattingOptions: formOf(text) };
    const edited = withComment(
      applyEdits(comment.without, modify(comment.without, path, value, form)),
      comment,
    );
    const now = valueAt(parseObject(edited), path);
    if (JSON.stringify(now) !== JSON.stringify(value)) throw new NotEditableError('a name stands twice');
    return edited;
  } catch (error) {
    if (error instanceof NotEditableError) throw error;
    // the parser's own, of a text of brackets, or of a text where an object should be
    throw new NotEditableError('not editable', { cause: error });
  }
}

/** The comment behind the last property of an object, on its line: what is added after it would come in between. */
interface LastComment {
  readonly without: string;
  readonly comment: string;
  /** where the property ends */
  readonly offset: number;
}

/** @param path what is going to be set; only a property that is new is put behind the last one */
function commentOfLast(text: string, path: JSONPath): LastComment {
  const none = { without: text, comment: '', offset: 0 };
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (!root || findNodeAtLocation(root, path)) return none;
  const parents = path.map((_, length) => findNodeAtLocation(root, path.slice(0, length)));
  const last = parents.findLast((node) => node !== undefined)?.children?.at(-1);
  if (!last) return none;
  const offset = last.offset + last.length;
  const lineEnd = text.indexOf('\n', offset);
  const line = lineEnd < 0 ? '' : text.slice(offset, lineEnd).replace(/\r$/, '');
  const [comma = ''] = /^[ \t]*,/.exec(line) ?? [];
  const comment = commentAlone(line.slice(comma.length));
  const end = offset + comma.length;
  return { without: text.slice(0, end) + text.slice(end + comment.length), comment, offset };
}

/**
 * The comment that is all there is in the rest of a line, with what stands before it; else empty. The agent can write the
 * file: each place is looked at once, where a pattern that looks for the line's end tries every place anew.
 */
function commentAlone(rest: string): string {
  const start = rest.search(/[^ \t]/);
  if (rest.startsWith('//', start)) return rest.includes('\r') ? '' : rest;
  if (!rest.startsWith('/*', start)) return '';
  const end = rest.indexOf('*/', start + 2) + 2;
  return end < start + 4 || /[^ \t]/.test(rest.slice(end)) ? '' : rest.slice(0, end);
}

/** Puts a comment back, behind the property and the comma that follows it now. */
function withComment(text: string, { comment, offset }: LastComment): string {
  if (comment === '') return text;
  const [comma = ''] = /^\s*,/.exec(text.slice(offset)) ?? [];
  const end = offset + comma.length;
  return text.slice(0, end) + comment + text.slice(end);
}

/** Indentation and line ends as the text has them. */
function formOf(text: string): FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
