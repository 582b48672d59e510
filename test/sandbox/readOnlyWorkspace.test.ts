import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PrepareRequest } from '../../src/launch/prepareRequest';
import { apptainer, image } from '../support/environment';
import { treeLines } from '../support/treeLines';
import { ChangedHost } from './support/changedHost';
import type { Refusal } from './support/prepareMain';
import { TestFolders } from './support/sandboxUnderTest';

const prepareMain = join(__dirname, 'support/prepareMain.js');

describe('a workspace in which the user may not write is refused in plain words, and nothing is written', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
    mkdirSync(join(folders.workspace, 'data'));
    writeFileSync(join(folders.workspace, 'data/muons.csv'), 'pt\n40.5\n');
  });
  afterEach(() => {
    chmodSync(folders.workspace, 0o700);
    folders.remove();
  });

  /** Has a window's wish prepared, with everything real. */
  function prepareOn(nodePath = process.execPath, agentHome = 'workspace'): Refusal {
    const request: PrepareRequest = {
      kind: 'agent',
      workspace: folders.workspace,
      settings: {
        apptainerPath: apptainer(),
        image: image(),
        agentHome,
        network: 'none',
        detachedTimeoutMilliseconds: 60_000,
        temporaryFilesLimitBytes: 1e8,
      },
      ptyModules: [],
      storageDirectory: join(folders.root, 'storage'),
      serverFolders: [],
      environment: { HOME: join(folders.root, 'home') },
      platform: process.platform,
      uid: process.getuid?.() ?? 0,
    };
    const answer = execFileSync(nodePath, [prepareMain, JSON.stringify(request)], { encoding: 'utf8' });
    return JSON.parse(answer) as Refusal;
  }

  /** All that is there, but what the test itself puts there. */
  const everything = (): string[] => treeLines(folders.root, ['node']);

  function assertRefused({ code, text }: Refusal): void {
    assert.equal(code, 'workspace.readOnly');
    assert.equal(
      text,
      `You may not write in the folder ${folders.workspace}, so an agent could not work there. Check its permissions, or open a copy of it.`,
    );
  }

  for (const [what, withHome] of [
    ['that never had an agent', false],
    ['that has the home of one', true],
  ] as const) {
    it(`by its mode, ${what}`, () => {
      if (!withHome) rmSync(join(folders.workspace, 'agent-home'), { recursive: true });
      chmodSync(folders.workspace, 0o555);
      const before = everything();
      assertRefused(prepareOn());
      assert.deepEqual(everything(), before);
    });
  }

  it('by its mode, with a home elsewhere', () => {
    const home = join(folders.root, 'agents');
    mkdirSync(home);
    chmodSync(folders.workspace, 0o555);
    const before = everything();
    assertRefused(prepareOn(process.execPath, home));
    assert.deepEqual(everything(), before);
  });

  it('on a file system that is mounted read-only', async () => {
    const { workspace, root } = folders;
    const host = await ChangedHost.prepare(
      `mount --bind '${workspace}' '${workspace}'; mount -o remount,bind,ro '${workspace}'`,
      root,
    );
    try {
      const before = everything();
      assertRefused(prepareOn(host.nodePath));
      assert.deepEqual(everything(), before);
    } finally {
      host.end();
    }
  });

  it('and where it may be written in, it is not', () => {
    assert.deepEqual(prepareOn(), {});
    assert.ok(readdirSync(folders.root).includes('storage'));
  });
});
