import * as v from 'valibot';

/**
 * Data that is not what it should be. Says where and what was expected, never what was there, as the library's own
 * error does: that may be a key, or text from a sandbox.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Checks data. @returns what the schema knows of it @throws SchemaError */
export function parseAs<Value>(schema: v.GenericSchema<unknown, Value>, data: unknown): Value {
  const result = v.safeParse(schema, data, { abortEarly: true });
  if (result.success) return result.output;
  throw new SchemaError(describe(result.issues[0]));
}

/** Checks data. @returns what the schema knows of it; undefined when it does not fit */
export function tryParse<Value>(schema: v.GenericSchema<unknown, Value>, data: unknown): Value | undefined {
  const result = v.safeParse(schema, data, { abortEarly: true });
  return result.success ? result.output : undefined;
}

/** Checks a text of JSON that anybody may have written. @returns undefined when it is none, or does not fit */
export function tryParseJson<Value>(
  schema: v.GenericSchema<unknown, Value>,
  text: string,
): Value | undefined {
  try {
    return tryParse(schema, JSON.parse(text));
  } catch {
    return undefined;
  }
}

const longestName = 60;

function describe({ path, expected, received }: v.BaseIssue<unknown>): string {
  // of an object that may hold nothing else, the name can be anything
  const names = path?.map(({ key }) =>
    String(key)
      .slice(0, longestName)
      .replace(/[^\w-]/g, '?'),
  );
  const place = names?.join('.') ?? '';
  // the library says that its name was expected
  if (path?.at(-1)?.origin === 'key' && received === 'undefined') return `${place}: is missing`;
  // a check of our own says nothing of what it expects
  const wanted = expected === null || expected === 'unknown' ? 'something else' : expected;
  return `${place === '' ? 'the whole' : place}: expected ${wanted}`;
}
