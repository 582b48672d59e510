import * as v from 'valibot';

/** A number, and not Infinity, which JSON.parse makes of 1e999. */
export const finite = v.pipe(v.number(), v.finite());

/** A whole number that is exactly what was written; beyond 2^53 it need not be. */
export const integer = v.pipe(v.number(), v.safeInteger());

/**
 * An object with any names, each with a value of the same kind. Unlike the library's own it refuses a list, and keeps
 * `constructor` and `prototype`, which variables and providers may be called; `__proto__` is left out. Where something
 * does not fit is said by number: the names may come from anybody.
 */
export function record<Value>(
  key: v.GenericSchema<unknown, string>,
  value: v.GenericSchema<unknown, Value>,
): v.GenericSchema<unknown, Record<string, Value>> {
  return v.pipe(
    v.custom<object>((input) => typeof input === 'object' && input !== null && !Array.isArray(input)),
    v.transform((input): [unknown, unknown][] =>
      Object.entries(input).filter(([name]) => name !== '__proto__'),
    ),
    v.array(v.strictTuple([key, value])),
    v.transform((entries) => Object.fromEntries(entries)),
  );
}
