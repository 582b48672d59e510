import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { apptainer } from '../support/environment';
import { ImageRegistry, smallOciImage } from '../support/imageRegistry';
import { pushOciImage } from '../support/ociImage';
import { projectFile } from '../support/projectFile';
import { ChangedHost } from './support/changedHost';
import type { PullStep } from './support/pullMain';
import { TestFolders } from './support/sandboxUnderTest';

/** MB: more than what a pull wants to see free before it starts, and less than what it then needs. */
const places = {
  images: { size: 90, code: 'pull.targetFull' },
  cache: { size: 90, code: 'pull.cacheFull' },
  tmp: { size: 260, code: 'pull.noSpace' },
} as const;
type Place = keyof typeof places;
/** Unpacked and packed again, both in `tmp`, it is twice as large. */
const imageBytes = 140_000_000;

describe('a pull for which a disk is too small', () => {
  let folders: TestFolders;
  let registry: ImageRegistry;

  before(async () => {
    folders = new TestFolders();
    for (const name of Object.keys(places)) mkdirSync(join(folders.root, name));
    registry = await ImageRegistry.start(join(folders.root, 'registry'));
    const image = smallOciImage(join(folders.root, 'content'), randomBytes(imageBytes));
    await pushOciImage(`http://${registry.host}`, 'large', '1', image);
  });
  after(async () => {
    await registry.stop();
    folders.remove();
  });

  for (const [place, { size, code }] of Object.entries(places)) {
    it(`says which one it is when it is that of ${place}, and leaves nothing there`, async () => {
      const full = join(folders.root, place);
      const host = await ChangedHost.prepare(`mount -t tmpfs -o size=${size}m none '${full}'`, folders.root);
      try {
        const { last, left } = pullOn(host.nodePath, place as Place);
        assert.ok('isOver' in last && last.code === code, JSON.stringify(last));
        assert.deepEqual(left, { images: '', tmp: '' });
      } finally {
        host.end();
      }
    });
  }

  interface Outcome {
    readonly last: PullStep;
    readonly left: Readonly<Record<'images' | 'tmp', string>>;
  }

  /** Pulls on a host that has a small disk somewhere, and looks there at what is left. */
  function pullOn(nodePath: string, place: Place): Outcome {
    const request = {
      ...{ apptainer: apptainer(), source: `docker://${registry.host}/large:1` },
      ...{ target: join(folders.root, 'images/x.sif'), ptyModules: [projectFile('node_modules/node-pty')] },
      environment: {
        HOME: folders.root,
        APPTAINER_CACHEDIR: join(folders.root, place === 'cache' ? 'cache' : `cache-for-${place}`),
        APPTAINER_TMPDIR: join(folders.root, 'tmp'),
      },
    };
    const said = execFileSync(nodePath, [join(__dirname, 'support/pullMain.js'), JSON.stringify(request)], {
      encoding: 'utf8',
    });
    const lines = said.trim().split('\n');
    const list = (name: string): string =>
      execFileSync(
        nodePath,
        ['-p', `require('fs').readdirSync(process.argv[1]).join()`, join(folders.root, name)],
        { encoding: 'utf8' },
      ).trim();
    return {
      last: JSON.parse(lines.at(-1) ?? '') as PullStep,
      left: { images: list('images'), tmp: list('tmp') },
    };
  }
});
