/**
 * What data from elsewhere must look like: a file, a line of another process, a setting. The names are those of zod, which
 * this stands in for: zod's schemas are some hundred functions each, made at the start of a process whether they are used
 * or not, and a supervisor and the extension host have to wait for that (measured: docs/benchmarks.md). These are made in
 * microseconds. `test/unit/sandbox/schema.test.ts` compares the two.
 */

/** Why a value is not what a schema says, and where in it. No value is in there: it can be secret, or hostile. */
export class Mismatch {
  constructor(
    readonly reason: string,
    readonly path: readonly string[] = [],
  ) {}

  /** The same, of a value that has this one at `key`. */
  at(key: string): Mismatch {
    return new Mismatch(this.reason, [key, ...this.path]);
  }
}

/** Data was not what it has to be. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';

  constructor({ reason, path }: Mismatch) {
    super(path.length > 0 ? `${path.join('.')}: ${reason}` : reason);
  }
}

export type SafeResult<Value> =
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly data?: never; readonly error: SchemaError };

type Reader<Value> = (value: unknown) => Value | Mismatch;

/** Says what a value must look like; with `parse` it makes a copy that has nothing but what it names. */
export class Schema<Value> {
  /** only for the compiler: see {@link Infer} */
  declare readonly output: Value;

  /** @param read gives what is to be taken for a value */
  constructor(readonly read: Reader<Value>) {}

  /** @throws SchemaError when it is anything else */
  parse(value: unknown): Value {
    const result = this.read(value);
    if (result instanceof Mismatch) throw new SchemaError(result);
    return result;
  }

  safeParse(value: unknown): SafeResult<Value> {
    const result = this.read(value);
    return result instanceof Mismatch
      ? { success: false, error: new SchemaError(result) }
      : { success: true, data: result };
  }

  /** Of an object it may be missing. */
  optional(): OptionalSchema<Value> {
    return new OptionalSchema((value) => (value === undefined ? undefined : this.read(value)));
  }

  nullable(): Schema<Value | null> {
    return new Schema<Value | null>((value) => (value === null ? null : this.read(value)));
  }

  /** Takes `fallback` in the place of anything else. */
  catch(fallback: Value): Schema<Value> {
    return new Schema((value) => {
      const result = this.read(value);
      return result instanceof Mismatch ? fallback : result;
    });
  }

  refine(holds: (value: Value) => boolean, reason = 'not allowed'): Schema<Value> {
    return new Schema(checked(this.read, holds, reason));
  }

  transform<Other>(change: (value: Value) => Other): Schema<Other> {
    return new Schema<Other>((value) => {
      const result = this.read(value);
      return result instanceof Mismatch ? result : change(result);
    });
  }
}

/** What a schema makes of a value. */
export type Infer<Of extends Schema<unknown>> = Of['output'];

/** @see Schema.optional */
export class OptionalSchema<Value> extends Schema<Value | undefined> {
  /** for the compiler, too */
  readonly isOptional = true;
}

function checked<Value>(
  read: Reader<Value>,
  holds: (value: Value) => boolean,
  reason: string,
): Reader<Value> {
  return (value) => {
    const result = read(value);
    return result instanceof Mismatch || holds(result) ? result : new Mismatch(reason);
  };
}

class StringSchema extends Schema<string> {
  regex(pattern: RegExp, reason = 'not written as it has to be'): StringSchema {
    return new StringSchema(checked(this.read, (text) => pattern.test(text), reason));
  }

  /** @param most in characters of Unicode, of which one is at most two UTF-16 units */
  max(most: number): StringSchema {
    const fits = (text: string): boolean =>
      text.length <= most || (text.length <= 2 * most && Array.from(text).length <= most);
    return new StringSchema(checked(this.read, fits, 'too long'));
  }
}

class NumberSchema extends Schema<number> {
  /** An integer that a number can hold exactly. */
  int(): NumberSchema {
    return new NumberSchema(checked(this.read, Number.isSafeInteger, 'not an integer'));
  }

  min(least: number): NumberSchema {
    return new NumberSchema(checked(this.read, (value) => value >= least, 'too small'));
  }

  max(most: number): NumberSchema {
    return new NumberSchema(checked(this.read, (value) => value <= most, 'too large'));
  }

  nonnegative(): NumberSchema {
    return this.min(0);
  }

  positive(): NumberSchema {
    return new NumberSchema(checked(this.read, (value) => value > 0, 'too small'));
  }
}

class ArraySchema<Item> extends Schema<Item[]> {
  min(least: number): ArraySchema<Item> {
    return new ArraySchema(checked(this.read, ({ length }) => length >= least, 'too short'));
  }

  /** A longer one is not looked through. */
  max(most: number): ArraySchema<Item> {
    return new ArraySchema((value) =>
      Array.isArray(value) && value.length > most ? new Mismatch('too long') : this.read(value),
    );
  }
}

type Shape = Readonly<Record<string, Schema<unknown>>>;
type OptionalKeys<Of extends Shape> = {
  [Key in keyof Of]: Of[Key] extends { readonly isOptional: true } ? Key : never;
}[keyof Of];
type Flat<Of> = { [Key in keyof Of]: Of[Key] };
type ObjectOf<Of extends Shape> = Flat<
  { [Key in Exclude<keyof Of, OptionalKeys<Of>>]: Of[Key]['output'] } & {
    [Key in OptionalKeys<Of>]?: Of[Key]['output'];
  }
>;

class ObjectSchema<Of extends Shape> extends Schema<ObjectOf<Of>> {
  /** @param isStrict whether further keys are a mismatch; else they are left out */
  constructor(
    readonly shape: Of,
    isStrict = false,
  ) {
    super(objectReader(shape, isStrict) as Reader<ObjectOf<Of>>);
  }

  extend<More extends Shape>(more: More): ObjectSchema<Omit<Of, keyof More> & More> {
    return new ObjectSchema<Omit<Of, keyof More> & More>({ ...this.shape, ...more });
  }

  strict(): ObjectSchema<Of> {
    return new ObjectSchema(this.shape, true);
  }
}

function objectReader(shape: Shape, isStrict: boolean): Reader<Record<string, unknown>> {
  const entries = Object.entries(shape);
  return (value) => {
    if (!isObject(value)) return new Mismatch('not an object');
    const result: Record<string, unknown> = {};
    for (const [key, schema] of entries) {
      // what it inherits is nobody's data
      const isThere = Object.hasOwn(value, key);
      const part = schema.read(isThere ? value[key] : undefined);
      if (part instanceof Mismatch) return part.at(key);
      if (isThere || part !== undefined) result[key] = part;
      else if (!(schema instanceof OptionalSchema)) return new Mismatch('missing').at(key);
    }
    const hasMore = isStrict && Object.keys(value).some((key) => !Object.hasOwn(shape, key));
    return hasMore ? new Mismatch('has more than it may') : result;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function string(): StringSchema {
  return new StringSchema((value) => (typeof value === 'string' ? value : new Mismatch('not a text')));
}

/** A finite number. */
export function number(): NumberSchema {
  return new NumberSchema((value) =>
    typeof value === 'number' && Number.isFinite(value) ? value : new Mismatch('not a number'),
  );
}

export function boolean(): Schema<boolean> {
  return new Schema((value) => (typeof value === 'boolean' ? value : new Mismatch('neither true nor false')));
}

/** Anything at all, and nothing. */
export function unknown(): Schema<unknown> {
  return new Schema((value) => value);
}

export function literal<const Value extends string | number | boolean>(expected: Value): Schema<Value> {
  return new Schema((value) => (value === expected ? expected : new Mismatch(`not ${expected}`)));
}

function enumeration<const Value extends string>(values: readonly Value[]): Schema<Value> {
  return new Schema(
    (value) => values.find((each) => each === value) ?? new Mismatch(`none of ${values.join(', ')}`),
  );
}
export { enumeration as enum };

/** What a test says yes to. */
export function custom<Value>(holds: (value: unknown) => boolean): Schema<Value> {
  return new Schema((value) => (holds(value) ? (value as Value) : new Mismatch('not allowed')));
}

export function object<Of extends Shape>(shape: Of): ObjectSchema<Of> {
  return new ObjectSchema(shape);
}

export function array<Item>(item: Schema<Item>): ArraySchema<Item> {
  return new ArraySchema((value) => {
    if (!Array.isArray(value)) return new Mismatch('not a list');
    const result: Item[] = [];
    for (let index = 0; index < value.length; index++) {
      const part = item.read(value[index]);
      if (part instanceof Mismatch) return part.at(String(index));
      result.push(part);
    }
    return result;
  });
}

type TupleOf<Items extends readonly Schema<unknown>[]> = {
  -readonly [Index in keyof Items]: Items[Index]['output'];
};

export function tuple<const Items extends readonly Schema<unknown>[]>(items: Items): Schema<TupleOf<Items>> {
  return new Schema((value) => {
    if (!Array.isArray(value) || value.length !== items.length)
      return new Mismatch('not a list of that length');
    const result: unknown[] = [];
    for (const [index, item] of items.entries()) {
      const part = item.read(value[index]);
      if (part instanceof Mismatch) return part.at(String(index));
      result.push(part);
    }
    return result as TupleOf<Items>;
  });
}

/** An object with any keys that are like `key`. `__proto__` is left out: it would not be one like the others. */
export function record<Value>(key: Schema<string>, item: Schema<Value>): Schema<Record<string, Value>> {
  return new Schema((value) => {
    if (!isObject(value)) return new Mismatch('not an object');
    const result: Record<string, Value> = {};
    for (const name of Object.keys(value)) {
      if (name === '__proto__') continue;
      if (key.read(name) instanceof Mismatch) return new Mismatch('has a key that is not allowed');
      const part = item.read(value[name]);
      if (part instanceof Mismatch) return part.at('*');
      result[name] = part;
    }
    return result;
  });
}

/** The first of them that fits. */
export function union<const Options extends readonly Schema<unknown>[]>(
  options: Options,
): Schema<Options[number]['output']> {
  return new Schema((value) => {
    for (const option of options) {
      const result = option.read(value);
      if (!(result instanceof Mismatch)) return result;
    }
    return new Mismatch('none of what it can be');
  });
}

export type { Infer as infer };
