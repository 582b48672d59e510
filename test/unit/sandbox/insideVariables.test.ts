import assert from 'node:assert/strict';
import { isVariableValue, readVariables } from '../../../src/sandbox/insideVariables';
import { UserError } from '../../../src/sandbox/userError';

const setting = 'some.setting';

describe('readVariables', () => {
  it('reads literal values and those in secret storage', () => {
    const value = { TEAM: 'atlas', TOKEN: null, EMPTY: '', _x1: 'ünï' };
    assert.deepEqual(readVariables(value, setting), value);
    assert.deepEqual(readVariables({}, setting), {});
  });

  for (const name of [
    ...['LD_PRELOAD', 'ld_library_path', 'PATH', 'Path', 'HOME', 'BUN_OPTIONS', 'NODE_OPTIONS', 'BASH_ENV'],
    ...[
      'OPENCODE_PERMISSION',
      'OPENCODE',
      'HTTP_PROXY',
      'https_proxy',
      'NO_PROXY',
      'ALL_PROXY',
      'ENV',
      'IFS',
    ],
    ...['APPTAINER_BIND', 'APPTAINERENV_X', 'SINGULARITY_X', 'NPM_CONFIG_OFFLINE', 'GIT_SSH_COMMAND'],
    ...['XDG_CONFIG_HOME', 'SSL_CERT_FILE', 'LC_ALL', 'LANG', 'COLORTERM', 'TMPDIR'],
  ]) {
    it(`refuses ${name}, which programs act on`, () => {
      assert.throws(
        () => readVariables({ [name]: 'x' }, setting),
        (error) =>
          error instanceof UserError && error.code === 'variable.actedOn' && error.action !== undefined,
      );
    });
  }

  it('refuses what is no name, no value, or no object', () => {
    for (const value of [
      ...[{ 'A B': 'x' }, { '1A': 'x' }, { '': 'x' }, { 'A=B': 'x' }, { A: 1 }, { A: ['x'] }, { A: 'a\nb' }],
      ...[{ A: 'a\0b' }, { A: 'x'.repeat(40_000) }, [], null, 'A=1'],
    ] as unknown[]) {
      assert.throws(() => readVariables(value, setting), UserError, JSON.stringify(value)?.slice(0, 60));
    }
  });

  it('repeats no value', () => {
    assert.throws(
      () => readVariables({ A: 'hunter2\n' }, setting),
      (error) => error instanceof UserError && !error.message.includes('hunter2'),
    );
  });
});

describe('isVariableValue', () => {
  it('takes one line', () => {
    assert.equal(isVariableValue('a\tb c $(x) "'), true);
    assert.equal(isVariableValue('a\r'), false);
  });
});
