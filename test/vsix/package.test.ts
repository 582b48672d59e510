import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { installExtension } from '../host/extensionsFolder';
import { emptyPrompt } from '../support/opencodePrompt';
import { AgentWorkbench, repositoryFolder } from '../ui/agentWorkbench';

/** What `npm run package` makes. */
const vsix = join(repositoryFolder, 'out/sandboxed-agent.vsix');

/** Everything that users get. `.vsixmanifest` and the names of the two documents are the packager's. */
const shippedFiles = [
  '.vsixmanifest',
  'LICENSE.txt',
  'changelog.md',
  'dist/THIRD_PARTY_NOTICES.txt',
  'dist/companion.mjs',
  'dist/extension.js',
  'dist/gateway.js',
  'dist/probes.mjs',
  'dist/scriptKeeper.js',
  'dist/sessionEditor.mjs',
  'dist/sessionKeeper.mjs',
  'dist/sessionReader.mjs',
  'dist/snapshots.js',
  'dist/supervisor.js',
  'dist/window.js',
  'l10n/bundle.l10n.json',
  'media/activity.svg',
  'media/definitions/agent.def',
  'media/definitions/scientific.def',
  'media/icon.png',
  'media/walkthrough/image.svg',
  'media/walkthrough/memory.svg',
  'media/walkthrough/model.svg',
  'media/walkthrough/prove.svg',
  'media/walkthrough/setup.svg',
  'media/walkthrough/start.svg',
  'package.json',
  'package.nls.json',
  'readme.md',
];

/** Packages whose code is in the bundles: their licences demand to be there, too. */
const bundledPackages = [
  '@xterm/addon-serialize',
  '@xterm/addon-unicode11',
  '@xterm/headless',
  'jsonc-parser',
  'valibot',
  'vscode-jsonrpc',
];

/** Large enough for what is in it, and too small for a dependency that slips in whole. */
const maximumBytes = 900_000;

describe('the packaged extension', () => {
  let workbench: AgentWorkbench | undefined;

  before('package it', () => {
    const outcome = spawnSync('npm', ['run', 'package'], { cwd: repositoryFolder, encoding: 'utf8' });
    assert.equal(outcome.status, 0, outcome.stdout + outcome.stderr);
  });

  afterEach(function () {
    return workbench?.pictureFailure(this.currentTest);
  });
  after(() => workbench?.close());

  it('is small', () => {
    const { size } = statSync(vsix);
    assert(size < maximumBytes, `${size} bytes`);
  });

  it('holds what it must, and nothing else', () => {
    const folder = installExtension(vsix, mkdtempSync(join(tmpdir(), 'extensions-')));
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    assert.deepEqual(files.sort(), shippedFiles);
    const notices = readFileSync(join(folder, 'dist/THIRD_PARTY_NOTICES.txt'), 'utf8');
    for (const name of bundledPackages) {
      assert.match(notices, new RegExp(`^${name} [0-9][^\\n]*\\(MIT\\)$`, 'm'));
    }
  });

  it('has pages that lead to nothing that is not there', () => {
    const folder = installExtension(vsix, mkdtempSync(join(tmpdir(), 'extensions-')));
    for (const name of ['readme.md', 'changelog.md']) {
      const page = readFileSync(join(folder, name), 'utf8');
      const targets = [...page.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)].map(
        (found) => found[1] ?? found[2],
      );
      const files = targets.filter((target = '') => !/^(#|https:)/.test(target));
      assert.deepEqual(files, [], name);
    }
  });

  it('starts an agent when it is installed, and stops it', async () => {
    workbench = await AgentWorkbench.open({
      name: 'vsix',
      folderName: 'work',
      install: (extensionsFolder) => installExtension(vsix, extensionsFolder),
    });
    const { page } = workbench;
    await page.runCommand('Start Sandboxed Agent');
    await page.chooseFirst('A model that you have not approved');
    await page.statusSays(/Agent: isolated$/);
    await page.terminalShows(emptyPrompt);
    await page.screenshot('started');
    const processes = await workbench.sandboxProcesses();
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench.gone(processes);
    await page.statusSays(/Agent: ready/);
  });
});
