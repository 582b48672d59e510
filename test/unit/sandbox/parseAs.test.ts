import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import * as v from 'valibot';
import { parseAs, SchemaError, tryParse } from '../../../src/sandbox/parseAs';
import { finite, integer, record } from '../../../src/sandbox/schemas';
import { supervisorInput } from '../../../src/supervisor/input';

describe('data that is checked', () => {
  it('has only numbers that are numbers', () => {
    assert.equal(parseAs(finite, 1.5), 1.5);
    for (const none of [JSON.parse('1e999'), JSON.parse('-1e999'), NaN, '1', null, undefined]) {
      assert.throws(() => parseAs(finite, none), SchemaError);
      assert.throws(() => parseAs(integer, none), SchemaError);
    }
  });

  it('has only whole numbers that are exactly what was written', () => {
    assert.equal(parseAs(integer, 2 ** 53 - 1), 2 ** 53 - 1);
    for (const none of [1.5, 2 ** 53, -(2 ** 53)]) assert.equal(tryParse(integer, none), undefined);
  });

  it('can have any names, which are kept but for the one that would be a prototype', () => {
    const anyNames = record(v.string(), v.string());
    const text = '{"constructor":"a","prototype":"b","":"c","__proto__":"d"}';
    const parsed = parseAs(anyNames, JSON.parse(text));
    assert.deepEqual(parsed, { constructor: 'a', prototype: 'b', '': 'c' });
    assert(!Object.hasOwn(parsed, '__proto__'));
    for (const none of [[], ['a'], null, 'a', { a: 1 }]) assert.equal(tryParse(anyNames, none), undefined);
    const fewNames = record(v.pipe(v.string(), v.regex(/^[A-Z]+$/)), finite);
    assert.deepEqual(parseAs(fewNames, { A: 1 }), { A: 1 });
    assert.equal(tryParse(fewNames, { A: 1, b: 2 }), undefined);
  });
});

describe('what is said of data that does not fit', () => {
  const said = (schema: v.GenericSchema, data: unknown): string => {
    try {
      parseAs(schema, data);
    } catch (error) {
      assert(error instanceof SchemaError);
      return error.message;
    }
    assert.fail('it fits');
  };

  it('is where it is and what was expected', () => {
    const schema = v.object({ list: v.array(v.object({ a: v.string() })), kind: v.picklist(['x', 'y']) });
    assert.equal(said(schema, { list: [{ a: 'b' }, { a: 1 }] }), 'list.1.a: expected string');
    assert.equal(said(schema, { list: [{}] }), 'list.0.a: is missing');
    assert.equal(said(schema, { list: [], kind: 'z' }), 'kind: expected ("x" | "y")');
    assert.equal(said(schema, 5), 'the whole: expected Object');
    assert.equal(said(record(v.string(), v.string()), []), 'the whole: expected something else');
    assert.equal(said(v.pipe(v.string(), v.regex(/^a$/)), 'b'), 'the whole: expected /^a$/');
  });

  it('is none of the data, wherever the error goes', () => {
    const secret = 'SECRET-1234';
    const environment = { [secret]: 'x' };
    const inputs = [
      { specification: {}, secrets: secret },
      { specification: secret },
      secret,
      { specification: { id: secret } },
    ];
    const found = [
      ...inputs.map((input) => () => parseAs(supervisorInput, input)),
      () => parseAs(supervisorInput.entries.secrets, { modelKeys: { p: [secret] }, environment }),
      () => parseAs(supervisorInput.entries.secrets, { modelKeys: { p: secret }, environment }),
      () => parseAs(supervisorInput.entries.secrets, { modelKeys: {}, environment: { A: { secret } } }),
    ];
    for (const parse of found) {
      assert.throws(parse, (error: unknown) => {
        assert(error instanceof SchemaError);
        assert.doesNotMatch(inspect(error, { depth: Infinity, showHidden: true }), /SECRET|secret:/);
        return true;
      });
    }
  });

  it('is short, and a name that somebody else chose has no signs in it', () => {
    const name = `\u001b]0;[x](command:y)\n${'n'.repeat(10_000)}`;
    const message = said(v.strictObject({}), { [name]: 'x' });
    assert.match(message, /^\?+0\?\?x\?\?command\?y\?\?n+: expected never$/);
    assert(message.length < 100, message);
  });
});
