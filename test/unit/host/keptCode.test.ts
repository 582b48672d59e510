import assert from 'node:assert/strict';
import { chmodSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runModule, type RunModule } from '../../../src/host/keptCode';
import { useTemporaryFolder } from '../../support/temporaryFolder';

interface Answer {
  readonly answer: () => unknown;
  readonly folder: string;
}

describe('a module whose compiled code is kept', () => {
  const folder = useTemporaryFolder();
  const bundle = (): string => join(folder(), 'bundle.js');
  const kept = (): string => join(folder(), 'kept');

  function write(answer: number): void {
    writeFileSync(
      bundle(),
      `const { basename } = require('node:path');
       exports.answer = () => [${answer}, basename(__filename)];
       module.exports.folder = __dirname;`,
    );
  }

  function run(): RunModule<Answer> {
    return runModule<Answer>(bundle(), kept());
  }

  async function keep(): Promise<void> {
    const { exports, keep: keepIt } = run();
    exports.answer();
    await keepIt?.(kept());
  }

  beforeEach(() => write(1));

  it('runs as by require, also with what was kept', async () => {
    for (const isKept of [false, true]) {
      const { exports, keep: keepIt } = run();
      assert.deepEqual(exports.answer(), [1, 'bundle.js']);
      assert.equal(exports.folder, folder());
      assert.equal(keepIt === undefined, isKept);
      await keepIt?.(kept());
    }
  });

  it('is the present one, when the file was changed to another of the same length', async () => {
    await keep();
    write(2);
    const { exports, keep: keepIt } = run();
    assert.deepEqual(exports.answer(), [2, 'bundle.js']);
    assert.notEqual(keepIt, undefined);
  });

  const spoiled: Record<string, () => void> = {
    'was cut off': () => writeFileSync(kept(), readFileSync(kept()).subarray(0, -10)),
    'has another byte': () => {
      const content = readFileSync(kept());
      content.writeUInt8(content.readUInt8(content.length - 20) ^ 1, content.length - 20);
      writeFileSync(kept(), content);
    },
    'is empty': () => writeFileSync(kept(), ''),
    'others can write': () => chmodSync(kept(), 0o620),
    'is behind a link': () => {
      renameSync(kept(), `${kept()}-other`);
      symlinkSync(`${kept()}-other`, kept());
    },
  };
  for (const [what, spoil] of Object.entries(spoiled)) {
    it(`is compiled anew when what was kept ${what}`, async () => {
      await keep();
      assert.equal(run().keep, undefined);
      spoil();
      const { exports, keep: keepIt } = run();
      assert.deepEqual(exports.answer(), [1, 'bundle.js']);
      assert.notEqual(keepIt, undefined);
    });
  }
});
