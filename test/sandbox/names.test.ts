import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { plainCommandWith } from './support/plainCommand';
import { specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

const names = [
  'with space',
  ' leading and trailing ',
  'comma,comma',
  'colon:colon',
  'double "quote"',
  "single 'quote'",
  'back\\slash',
  'new\nline',
  'carriage\rreturn',
  'tab\tbed',
  'ünïcödé 漢字 🎉',
  '-leading-dash',
  '--option=value',
  'star*question?[a]',
  '$HOME $(id) `id`',
  '{0} {1}',
  'x,destination=mnt,ro',
  'equal=sign',
  '#hash;semicolon&ampersand|pipe',
  '\u001b[31mescape',
];

describe('a workspace whose name is', () => {
  for (const name of names) {
    it(`${JSON.stringify(name)} is bound, verified and worked in`, async () => {
      const folders = new TestFolders(name);
      try {
        const { connection } = await startSandbox(specify(folders));
        const screen = await ScreenReader.attach(connection);
        await waitUntil(
          'the sandbox runs',
          () => connection.status.phase === 'running',
          30_000,
          () => JSON.stringify(connection.status.end),
        );
        assert.equal(connection.status.verdict?.state, 'isolated');
        screen.type('pwd > here; echo ~ > ~/home; echo do""ne\r');
        await screen.shows(/done/);
        assert.ok(existsSync(join(folders.workspace, 'here')));
        assert.ok(existsSync(join(folders.workspace, 'agent-home', 'home')));
        await connection.stop();
      } finally {
        folders.remove();
      }
    });
  }

  it('a way to bind another folder with the plain command’s --bind, binds nothing else here', async () => {
    const folders = new TestFolders('x,');
    try {
      const outside = join(folders.root, 'outside');
      mkdirSync(outside);
      writeFileSync(join(outside, 'secret.txt'), 'CANARY-51bd');
      const injected = `${folders.workspace}${outside}`;
      mkdirSync(injected, { recursive: true });
      mkdirSync(join(folders.root, 'x'));
      const plain = plainCommandWith(['--bind', injected], 'cat', join(outside, 'secret.txt'));
      assert.match(plain, /CANARY-51bd/, 'the attack works');

      const workspace = injected;
      mkdirSync(join(workspace, 'agent-home'));
      const { connection } = await startSandbox(specify({ ...folders, workspace } as TestFolders));
      const screen = await ScreenReader.attach(connection);
      await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
      screen.type(`cat '${join(outside, 'secret.txt')}'; echo do""ne\r`);
      await screen.shows(/done/);
      assert.doesNotMatch(screen.text(), /CANARY-51bd/);
      await connection.stop();
    } finally {
      folders.remove();
    }
  });
});
