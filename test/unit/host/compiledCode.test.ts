import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCompiledCodeFolder } from '../../../src/host/compiledCode';

describe('makeCompiledCodeFolder', () => {
  let storage: string;

  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), 'compiled-'));
  });
  afterEach(() => rmSync(storage, { recursive: true }));

  it('makes a folder that nobody else can read or write, also where there is one', async () => {
    const path = join(storage, 'compiledCode/1.0.0');
    mkdirSync(path, { recursive: true, mode: 0o777 });
    assert.equal(await makeCompiledCodeFolder(storage, '1.0.0'), path);
    assert.equal(statSync(path).mode & 0o777, 0o700);
    assert.equal(statSync(join(storage, 'compiledCode')).mode & 0o777, 0o700);
  });

  it('removes what other versions have left, and nothing that it keeps', async () => {
    const old = await makeCompiledCodeFolder(storage, '0.9.0');
    writeFileSync(join(old ?? '', 'code'), '');
    const own = await makeCompiledCodeFolder(storage, '1.0.0');
    writeFileSync(join(own ?? '', 'code'), '');
    await makeCompiledCodeFolder(storage, '1.0.0');
    assert.equal(existsSync(old ?? ''), false);
    assert.ok(existsSync(join(own ?? '', 'code')));
  });

  it('does without where it is a link', async () => {
    const elsewhere = join(storage, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(storage, 'compiledCode'));
    assert.equal(await makeCompiledCodeFolder(storage, '1.0.0'), undefined);
  });
});
