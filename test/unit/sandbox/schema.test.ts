import assert from 'node:assert/strict';
import * as zod from 'zod';
import * as ours from '../../../src/sandbox/schema';

/** What both have. */
type Both = Pick<
  typeof ours,
  | 'string'
  | 'number'
  | 'boolean'
  | 'unknown'
  | 'literal'
  | 'enum'
  | 'object'
  | 'array'
  | 'tuple'
  | 'record'
  | 'union'
>;

/** Every kind of schema of the project, written once for both. */
function schemasOf(z: Both): Record<string, Pick<ours.Schema<unknown>, 'safeParse'>> {
  const folder = z.object({ kind: z.literal('folder'), path: z.string().regex(/^\//) });
  const memory = z.object({ kind: z.literal('memory') });
  const line = z.string().max(3);
  return {
    text: z.string(),
    shortText: line,
    pattern: z.string().regex(/^[0-9a-f]{2}$/, 'two digits'),
    refined: z.string().refine((text) => !text.includes('\0')),
    upperCase: line.transform((text) => text.toUpperCase()),
    finite: z.number(),
    integer: z.number().int(),
    positive: z.number().positive(),
    nonnegative: z.number().int().nonnegative(),
    bounded: z.number().min(-1).max(1e15),
    otherwise: z.number().min(0).catch(0),
    nullable: z.number().nullable().catch(null),
    truth: z.boolean(),
    anything: z.unknown(),
    word: z.enum(['new', 'changed']),
    no: z.literal(false),
    one: z.literal(1),
    texts: z.array(z.string()).min(1).max(2),
    recovering: z.array(z.string()).catch([]),
    pair: z.tuple([z.string(), z.number()]),
    byName: z.record(z.string(), z.number()),
    byVariable: z.record(z.string().regex(/^[A-Z]+$/), z.string()),
    either: z.union([folder, memory]),
    textOrNumber: z.union([z.string(), z.number()]),
    optional: z.object({ kind: z.string().optional(), path: z.unknown() }),
    strict: z.object({ kind: z.string() }).strict(),
    extended: folder.extend({ kind: z.enum(['new', 'changed', 'folder']), more: z.array(memory).optional() }),
    nested: z.object({
      kind: z.object({ kind: z.string().optional() }),
      path: z.array(z.number()).optional(),
    }),
  };
}

const values: readonly unknown[] = [
  ...[undefined, null, true, false, 0, -0, 1, -1, 1.5, 1e15, 1e16, 2 ** 53, NaN, Infinity, -Infinity, 10n],
  ...['', 'a', 'abcd', 'ff', 'f\0', 'new', 'changed', '/x', 'FF', '😀', '😀😀'],
  ...[[], [1], ['a'], ['a', 1], ['a', 'b'], ['a', 'b', 'c'], ['a', 1, 1], [undefined], [[]]],
  ...[
    {},
    { kind: 'memory' },
    { kind: 'folder' },
    { kind: 'folder', path: '/x' },
    { kind: 'folder', path: 'x' },
  ],
  ...[{ kind: undefined }, { kind: null }, { kind: 'new', path: '/', more: [{ kind: 'memory', x: 1 }] }],
  ...[{ kind: 'folder', path: '/', more: [{ kind: 'x' }] }, { kind: 'a', path: undefined }, { path: 1 }],
  ...[{ kind: {} }, { kind: { kind: 'a' }, path: [1] }, { kind: { kind: 1 } }, { kind: {}, path: ['a'] }],
  ...[{ A: 'x' }, { A: 1 }, { a: 'x' }, { A: 'x', b: 'y' }, { kind: 'a', further: true }],
  ...[
    '{"__proto__": {"kind": "memory"}}',
    '{"__proto__": 1, "A": 2}',
    '{"constructor": 1, "toString": 2}',
  ].map((text) => JSON.parse(text) as unknown),
];

describe('the schemas', () => {
  const own = schemasOf(ours);
  const others = schemasOf(zod as unknown as Both);
  for (const [name, schema] of Object.entries(own)) {
    it(`say and make of ${name} what zod does`, () => {
      for (const [index, value] of values.entries()) {
        const [mine, other] = [schema.safeParse(value), others[name]?.safeParse(value)];
        const label = `value ${index}`;
        assert.equal(mine.success, other?.success, label);
        assert.deepEqual(mine.data, other?.data, label);
      }
    });
  }

  it('make a copy', () => {
    const value = { list: [{ a: 1 }] };
    const copy = ours.object({ list: ours.array(ours.object({ a: ours.number() })) }).parse(value);
    assert.deepEqual(copy, value);
    assert.notEqual(copy, value);
    assert.notEqual(copy.list[0], value.list[0]);
  });

  it('take nothing for data that an object only inherits', () => {
    const schema = ours.object({ kind: ours.string() });
    assert.equal(schema.safeParse(Object.create({ kind: 'folder' })).success, false);
  });

  it('never let data become the prototype of a record', () => {
    const parsed = ours
      .record(ours.string(), ours.unknown())
      .parse(JSON.parse('{"__proto__": {"isAdmin": true}}'));
    assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
    assert.equal('isAdmin' in parsed, false);
  });

  it('name the place of what is wrong, and nothing of it', () => {
    const schema = ours.object({ keys: ours.array(ours.object({ value: ours.string().max(3) })) });
    assert.throws(() => schema.parse({ keys: [{ value: 'abc' }, { value: 'secret' }] }), {
      name: 'SchemaError',
      message: 'keys.1.value: too long',
    });
  });

  it('do not go through a list that is too long', () => {
    let looked = 0;
    const item = ours.custom<number>(() => ++looked > 0);
    assert.equal(ours.array(item).max(10).safeParse(Array(1_000_000).fill(0)).success, false);
    assert.equal(looked, 0);
  });
});
