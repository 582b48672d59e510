import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configurationNotes } from '../../../src/opencode/configurationNotes';
import { managedConfiguration } from '../../../src/opencode/managedConfiguration';
import { formatMessage } from '../../../src/sandbox/message';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const withProvider = '{ "provider": { "sdcc": {} } }';

describe('configurationNotes', () => {
  const root = useTemporaryFolder();
  const home = (): string => join(root(), 'agent-home');

  async function notes(project: string): Promise<string> {
    const found = await configurationNotes(root(), home(), managedConfiguration([project]));
    return found.map(formatMessage).join('\n');
  }

  function put(...names: string[]): string {
    const path = join(root(), ...names);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withProvider);
    return path;
  }

  it('has nothing to say of a project that brings its provider, or nothing', async () => {
    assert.equal(await notes(withProvider), '');
    assert.equal(await notes('{}'), '');
  });

  for (const project of [
    '{ "model": "opencode/big-pickle" }',
    '{ "provider": { "sdcc": {} }, "small_model": "opencode/x" }',
    '{ "provider": { "opencode": {} } }',
  ]) {
    it(`says of ${project} that prompts may leave for the hosted service`, async () => {
      assert.match(await notes(project), /prompts may go to opencode\.ai/);
    });
  }

  it('names the files whose providers can’t be used', async () => {
    const paths = [
      put('.opencode', 'opencode.jsonc'),
      put('agent-home', '.config', 'opencode', 'opencode.json'),
    ];
    const found = await notes(withProvider);
    for (const path of paths) assert.ok(found.includes(path), found);
    assert.equal(found.split('\n').length, 2);
    assert.equal(await notes('{}'), '');
  });

  it('says nothing of the file that opencode makes at its first start', async () => {
    writeFileSync(put('agent-home', '.config', 'opencode', 'opencode.jsonc'), '{ "$schema": "https://x" }');
    assert.equal(await notes(withProvider), '');
  });

  it('follows no link', async () => {
    put('elsewhere', 'opencode.json');
    symlinkSync('elsewhere', join(root(), '.opencode'));
    assert.equal(await notes(withProvider), '');
  });
});
