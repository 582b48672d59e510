import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotEditableError } from '../../../src/opencode/configurationEdits';
import {
  editProjectConfiguration,
  readProjectConfiguration,
} from '../../../src/opencode/projectConfiguration';
import { UserError } from '../../../src/sandbox/userError';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('readProjectConfiguration', () => {
  const workspace = useTemporaryFolder();

  async function refuses(code: string): Promise<void> {
    await assert.rejects(readProjectConfiguration(workspace()), (error) => {
      assert(error instanceof UserError, String(error));
      assert.equal(error.code, `projectConfiguration.${code}`);
      assert.equal(error.action?.kind, 'revealFile');
      assert(error.message.includes(join(workspace(), 'opencode.json')));
      return true;
    });
  }

  it('reads both files, and does without them', async () => {
    assert.deepEqual(await readProjectConfiguration(workspace()), []);
    writeFileSync(join(workspace(), 'opencode.jsonc'), 'two');
    assert.deepEqual(await readProjectConfiguration(workspace()), ['two']);
    writeFileSync(join(workspace(), 'opencode.json'), 'one');
    assert.deepEqual(await readProjectConfiguration(workspace()), ['one', 'two']);
  });

  it('refuses a link', async () => {
    symlinkSync('/etc/passwd', join(workspace(), 'opencode.json'));
    await refuses('notAFile');
  });

  it('refuses a FIFO without waiting for a writer', async () => {
    execFileSync('/usr/bin/mkfifo', [join(workspace(), 'opencode.jsonc')]);
    await refuses('notAFile');
  });

  it('refuses a folder', async () => {
    mkdirSync(join(workspace(), 'opencode.json'));
    await refuses('notAFile');
  });

  it('refuses ten megabytes', async () => {
    writeFileSync(join(workspace(), 'opencode.json'), Buffer.alloc(10 * 1024 * 1024, ' '));
    await refuses('tooLarge');
  });

  it('refuses more providers and models than can be looked at', async () => {
    const entries = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}]));
    const write = (provider: object): void =>
      writeFileSync(join(workspace(), 'opencode.json'), JSON.stringify({ provider }));
    write({ ...entries(199), p: { models: entries(2000) } });
    assert.equal((await readProjectConfiguration(workspace())).length, 1);
    write(entries(201));
    await refuses('tooMany');
    write({ a: { models: entries(1000) }, b: { models: entries(1001) } });
    await refuses('tooMany');
  });
});

describe('editProjectConfiguration', () => {
  const workspace = useTemporaryFolder();
  const at = (name: string): string => join(workspace(), name);
  const add = (text = '{}'): string => `${text}\n// edited`;

  async function refuses(code: string, edit: (text: string | undefined) => string = add): Promise<void> {
    await assert.rejects(editProjectConfiguration(workspace(), 'all', edit), (error) => {
      assert(error instanceof UserError, String(error));
      assert.equal(error.code, `projectConfiguration.${code}`);
      return true;
    });
  }

  it('makes the file when there is none, but only when one is wanted', async () => {
    assert.deepEqual(await editProjectConfiguration(workspace(), 'all', add), []);
    assert.deepEqual(await editProjectConfiguration(workspace(), 'last', add), [at('opencode.json')]);
    assert.equal(readFileSync(at('opencode.json'), 'utf8'), '{}\n// edited');
  });

  it('changes the file that wins, or all', async () => {
    writeFileSync(at('opencode.json'), 'one');
    writeFileSync(at('opencode.jsonc'), 'two');
    await editProjectConfiguration(workspace(), 'last', add);
    assert.equal(readFileSync(at('opencode.json'), 'utf8'), 'one');
    assert.equal(readFileSync(at('opencode.jsonc'), 'utf8'), 'two\n// edited');
    assert.equal((await editProjectConfiguration(workspace(), 'all', add)).length, 2);
    assert.deepEqual(readdirSync(workspace()), ['opencode.json', 'opencode.jsonc']);
  });

  it('writes nothing when nothing changes', async () => {
    writeFileSync(at('opencode.json'), 'one');
    assert.deepEqual(await editProjectConfiguration(workspace(), 'all', (text = '') => text), []);
  });

  it('leaves a file that is changed by somebody else meanwhile', async () => {
    writeFileSync(at('opencode.json'), 'one');
    await refuses('changed', (text) => {
      writeFileSync(at('opencode.json'), 'by the agent');
      return add(text);
    });
    assert.equal(readFileSync(at('opencode.json'), 'utf8'), 'by the agent');
  });

  it('refuses a link, and writes nothing at its end', async () => {
    writeFileSync(at('target'), 'kept');
    symlinkSync('target', at('opencode.json'));
    await refuses('notAFile');
    assert.equal(readFileSync(at('target'), 'utf8'), 'kept');
  });

  it('leaves a file that is not UTF-8, which would be damaged', async () => {
    const bytes = Buffer.from('{} // für', 'latin1');
    writeFileSync(at('opencode.json'), bytes);
    await refuses('notEditable');
    assert.deepEqual(readFileSync(at('opencode.json')), bytes);
    writeFileSync(at('opencode.json'), '\ufeff{} // für');
    await editProjectConfiguration(workspace(), 'all', add);
    assert.equal(readFileSync(at('opencode.json'), 'utf8'), '\ufeff{} // für\n// edited');
  });

  it('says that a file can’t be changed', async () => {
    writeFileSync(at('opencode.json'), '[');
    await refuses('notEditable', () => {
      throw new NotEditableError('x');
    });
  });
});
