import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from '../../../src/host/fileIdentity';
import {
  backupsOf,
  homeUsePath,
  noteHomeUse,
  ownHomeUse,
  readHomeRecord,
  writeHomeRecord,
} from '../../../src/host/homeFolder';
import { makeHomeFolder } from '../../../src/host/homeFolderPlace';
import { homeLockPath, takeHomeLock } from '../../../src/host/homeLock';
import { writeIndexEntry } from '../../../src/host/sandboxIndex';
import { openHome } from '../../../src/launch/homeOpening';
import { remedyHome } from '../../../src/launch/homeRemedies';
import { withHomeToWrite } from '../../../src/launch/homeWriting';
import type { KeptHome } from '../../../src/launch/homeUsers';
import type { HomeOpeningOptions } from '../../../src/launch/keeperSandbox';
import type { ScriptProcess } from '../../../src/launch/scriptProcess';
import type { SessionSandbox } from '../../../src/sandbox/sessionPlan';
import type { UserError } from '../../../src/sandbox/userError';
import { liveEntry } from '../../support/indexEntries';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const codeOf = (code: string) => (error: unknown) => (error as UserError).code === code;

describe('an agent’s home before its start', () => {
  const root = useTemporaryFolder();
  let specification: KeptHome;
  let orders: string[];
  let inspected: object;
  let options: HomeOpeningOptions;
  let makeCopy: (path: string) => void;
  let isSlow: boolean;
  beforeEach(async () => {
    const path = join(root(), 'project/agent-home');
    const indexDirectory = join(root(), 'index');
    mkdirSync(join(path, '.local/share/opencode'), { recursive: true });
    mkdirSync(indexDirectory);
    writeFileSync(join(path, '.local/share/opencode/opencode.db'), 'of opencode');
    const folder = { path, identity: await identify(path) };
    specification = {
      id: 'a'.repeat(16),
      kind: 'agent',
      workspace: { path: join(root(), 'project') },
      home: { kind: 'folder', folder },
      homeFolder: await makeHomeFolder(join(root(), 'storage'), folder),
      image: { path: '/image', identity: { device: '1', inode: '2', size: '3', changedTime: '4' } },
      indexDirectory,
      runDirectoryParents: ['/tmp'],
    } as unknown as KeptHome;
    orders = [];
    isSlow = false;
    makeCopy = (path) => writeFileSync(path, 'a copy');
    inspected = { state: 'good', bytes: 11, version: '1.2.3' };
    options = {
      signal: new AbortController().signal,
      tell: () => undefined,
      onLog: () => undefined,
      startScript: (sandbox, _script, onLine) => Promise.resolve(keeper(sandbox, onLine)),
    };
  });

  /** Answers as the keeper in its sandbox does. */
  function keeper({ backups }: SessionSandbox, onLine: (line: string) => void): ScriptProcess {
    const send = ({
      id,
      ...order
    }: {
      readonly id: number;
      readonly backUp?: { readonly name: string };
    }): void => {
      const [name = ''] = Object.keys(order);
      orders.push(name);
      if (order.backUp && backups?.mayWrite === true) makeCopy(join(backups.path, order.backUp.name));
      if (isSlow && order.backUp) return;
      onLine(JSON.stringify({ id, ...(name === 'inspect' ? { inspected } : { done: true }) }));
    };
    const never = new Promise<void>(() => undefined);
    return { send, close: () => Promise.resolve(), ended: never } as unknown as ScriptProcess;
  }

  const startFresh = () => remedyHome(specification, { kind: 'startFresh' }, options);

  it('is looked at before each start for as long as it could not be, and that there is no backup is said', async () => {
    inspected = { state: 'unknown', bytes: 11, version: '1.2.3' };
    const [note, ...others] = await openHome(specification, options);
    assert.match(note?.text ?? '', /neither checked nor backed up/);
    assert.deepEqual(others, []);
    assert.equal(await readHomeRecord(specification.homeFolder), undefined);
    inspected = { state: 'good', bytes: 11, version: '1.2.3' };
    assert.deepEqual(await openHome(specification, options), []);
    assert.deepEqual(orders, ['inspect', 'inspect', 'backUp']);
    assert.equal((await readHomeRecord(specification.homeFolder))?.version, '1.2.3');
  });

  it('is looked at again after a bad end for as long as it can’t be, and that is said', async () => {
    await known();
    const { homeFolder } = specification;
    await noteHomeUse(homeFolder, { ...(await ownHomeUse(other)), startTime: '1' });
    for (const state of ['unknown', 'misplaced'] as const) {
      inspected = { state, bytes: 0, version: '' };
      assert.equal((await openHome(specification, options)).length, 1);
    }
    inspected = { state: 'good', bytes: 11, version: '' };
    assert.deepEqual(await openHome(specification, options), []);
    assert.deepEqual(await openHome(specification, options), []);
    assert.deepEqual(orders, ['inspect', 'inspect', 'inspect']);
  });

  it('is looked at where something is in the place of opencode’s folder', async () => {
    const data = join(specification.home.folder.path, '.local/share/opencode');
    renameSync(data, `${data}.real`);
    symlinkSync(`${data}.real`, data);
    inspected = { state: 'misplaced', bytes: 0, version: '' };
    assert.equal((await openHome(specification, options)).length, 1);
    assert.deepEqual(orders, ['inspect']);
  });

  const unfit: Readonly<Record<string, (path: string) => void>> = {
    nothing: () => undefined,
    'a link': (path) => symlinkSync('/etc/hostname', path),
    'a folder': (path) => mkdirSync(join(path, 'more'), { recursive: true }),
    'a FIFO': (path) => void spawnSync('/usr/bin/mkfifo', [path]),
    'too much': (path) => writeFileSync(path, Buffer.alloc(20 * 2 ** 20, 1)),
  };
  for (const [what, make] of Object.entries(unfit)) {
    it(`has no backup, and that is said, when ${what} comes of it`, async () => {
      const { homeFolder } = specification;
      // a copy that grows is looked at while it is made
      makeCopy = make;
      isSlow = what === 'too much';
      const [note, ...others] = await openHome(specification, options);
      assert.match(note?.text ?? '', /No backup/);
      assert.deepEqual(others, []);
      assert.deepEqual(readdirSync(backupsOf(homeFolder)), []);
      assert.deepEqual(readdirSync(homeFolder).sort(), ['backups', 'home.json']);
    });
  }

  it('is not repaired while a sandbox of an older version may use it', async () => {
    const workspace = specification.workspace.path;
    await writeIndexEntry(specification.indexDirectory, await liveEntry({ workspace }));
    await assert.rejects(startFresh(), codeOf('home.inUse'));
    const elsewhere = await liveEntry({ workspace: '/data/other' });
    await writeIndexEntry(specification.indexDirectory, elsewhere);
    await startFresh();
    const { path } = specification.home.folder;
    await writeIndexEntry(specification.indexDirectory, { ...elsewhere, home: path });
    await assert.rejects(startFresh(), codeOf('home.inUse'));
    await writeIndexEntry(specification.indexDirectory, await liveEntry({ workspace, home: '' }));
    await startFresh();
    assert.deepEqual(orders, ['startFresh', 'startFresh']);
  });

  const other = 'c'.repeat(16);
  const elsewhere = async () => ({ ...(await ownHomeUse(other)), hostName: 'node7', bootId: 'another' });
  const known = (): Promise<void> => {
    const { home, homeFolder, image } = specification;
    return writeHomeRecord(homeFolder, { path: home.folder.path, image: image.identity, version: '1.2.3' });
  };

  it('is checked after a use on another computer, which has the lock no more', async () => {
    const { homeFolder } = specification;
    await known();
    await noteHomeUse(homeFolder, await elsewhere());
    await takeHomeLock(homeFolder, await elsewhere());
    await assert.rejects(openHome(specification, options), codeOf('home.locked'));
    rmSync(homeLockPath(homeFolder));
    await openHome(specification, options);
    await openHome(specification, options);
    assert.deepEqual(orders, ['inspect']);
    assert.deepEqual(readdirSync(homeFolder).sort(), ['backups', 'home.json']);
  });

  it('is repaired after a use on another computer, and not during one in a container on this one', async () => {
    const { homeFolder } = specification;
    await noteHomeUse(homeFolder, await elsewhere());
    await startFresh();
    assert.equal(existsSync(homeUsePath(homeFolder, other)), false);
    await noteHomeUse(homeFolder, { ...(await ownHomeUse(other)), hostName: 'container' });
    await assert.rejects(startFresh(), (error: UserError) => {
      const { values } = error.description;
      return values.includes('container') && values.includes(homeUsePath(homeFolder, other));
    });
  });

  it('is looked at when a repair was not finished, and there is no database', async () => {
    const data = join(specification.home.folder.path, '.local/share/opencode');
    renameSync(join(data, 'opencode.db'), join(data, 'opencode.db.repaired'));
    await openHome(specification, options);
    assert.deepEqual(orders, ['inspect', 'backUp']);
  });

  it('is not repaired while sessions in it are changed', async () => {
    await withHomeToWrite({ ...specification, id: 'b'.repeat(16) }, () =>
      assert.rejects(startFresh(), codeOf('home.inUse')),
    );
    await startFresh();
    assert.deepEqual(orders, ['startFresh']);
  });
});
