import assert from 'node:assert/strict';
import { parseDesktopArguments } from '../../host/desktopArguments';
import { withoutVscode } from '../../host/environment';
import { isNoise } from '../../host/noise';
import { workbenchAddress } from '../../host/workbench';

describe('the VS Code host', () => {
  it('takes the arguments that test-electron gives a desktop VS Code', () => {
    assert.deepEqual(
      parseDesktopArguments([
        '--folder-uri=file:///home/me/a%20b',
        '--user-data-dir=/data',
        '--extensions-dir=/data/extensions',
        '--no-sandbox',
        '--disable-updates',
        '--disable-workspace-trust',
        '--extensionTestsPath=/suite.js',
        '--extensionDevelopmentPath=/one',
        '--extensionDevelopmentPath=/two',
      ]),
      {
        folder: '/home/me/a b',
        userDataFolder: '/data',
        extensionsFolder: '/data/extensions',
        extensionTestsPath: '/suite.js',
        extensionDevelopmentPaths: ['/one', '/two'],
        workspaceTrust: false,
      },
    );
    assert.deepEqual(parseDesktopArguments([]), { extensionDevelopmentPaths: [], workspaceTrust: true });
  });

  it('names folder and extension in the address, whatever they are called', () => {
    const address = new URL(
      workbenchAddress(
        { authority: '127.0.0.1:1', token: 'secret' },
        { folder: '/w 7,a:b "q" ünï', extensionDevelopmentPaths: ['/e #1?'] },
      ),
    );
    assert.equal(address.host, '127.0.0.1:1');
    assert.equal(address.searchParams.get('tkn'), 'secret');
    assert.equal(address.searchParams.get('folder'), '/w 7,a:b "q" ünï');
    assert.deepEqual(JSON.parse(address.searchParams.get('payload') ?? ''), [
      ['skipWelcome', 'true'],
      ['extensionDevelopmentPath', 'vscode-remote://127.0.0.1:1/e%20%231%3F'],
    ]);
  });

  it('opens several folders by their file, and lets VS Code greet where a person looks', () => {
    const server = { authority: '127.0.0.1:1', token: 'secret' };
    const address = new URL(workbenchAddress(server, { folder: '/w/both.code-workspace', greets: true }));
    assert.equal(address.searchParams.get('workspace'), '/w/both.code-workspace');
    assert.equal(address.searchParams.get('folder'), null);
    assert.equal(address.searchParams.get('payload'), '[]');
  });

  it('does not hand the variables of a VS Code around it to another one', () => {
    assert.deepEqual(
      withoutVscode({ PATH: '/bin', VSCODE_IPC_HOOK_CLI: 'x', ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: 'x' }),
      { PATH: '/bin' },
    );
  });

  it('leaves VS Code’s own chatter out, and keeps what tests print', () => {
    assert(isNoise('Creating a socket (renderer-ExtensionHost) took 5 ms'));
    assert(!isNoise('  1) fails: Creating a socket'));
  });
});
