import { parse, type ParseError } from 'jsonc-parser';
import { isObject } from '../sandbox/jsonObject';

/** A JSON object that somebody else wrote. */
export type Hostile = Readonly<Record<string, unknown>>;

/** Ids of providers as opencode's own catalogue has them. */
export const providerIdPattern = /^(?!\.+$)[\w.-]{1,64}$/;
/** Ids of models, such as `qwen3-coder:30b` or `meta-llama/Llama-3.3-70B`. */
export const modelIdPattern = /^[\w.:@+/-]{1,128}$/;

/**
 * The object that a text of JSON with comments stands for. A text that is no object counts as an empty one: opencode
 * itself refuses it, with the line.
 */
export function parseObject(text: string): Hostile {
  const errors: ParseError[] = [];
  try {
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    return errors.length === 0 ? asObject(value) : {};
  } catch (error) {
    // the parser recurses: a text of brackets only exhausts the stack
    if (error instanceof RangeError) return {};
    throw error;
  }
}

/** The object under a key, as a copy; an empty one when there is none. */
export function objectIn(object: Hostile, key: string): Hostile {
  return asObject(valueAt(object, [key]));
}

/**
 * The object at a path of keys, with what all texts say there: the later ones win, as opencode merges them. Only what
 * is found is copied: an object on the way may have as many keys as a file has room for.
 */
export function layeredObject(layers: readonly Hostile[], ...path: readonly string[]): Hostile {
  const found = layers.map((layer) => asObject(valueAt(layer, path)));
  return Object.fromEntries(found.flatMap((object) => Object.entries(object)));
}

/** The value at a path of keys; undefined when there is none. Only what objects have of their own counts. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The names of what is in the object at a path of keys. */
export function namesAt(root: unknown, ...path: readonly string[]): string[] {
  const value = valueAt(root, path);
  return isObject(value) ? Object.keys(value) : [];
}

/** The text under a key, if it is one. */
export function stringIn(object: Hostile, key: string): string | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** A copy without the prototype that the text may have made up (the parser takes `__proto__` for one). */
export function asObject(value: unknown): Hostile {
  return isObject(value) ? { ...value } : {};
}
