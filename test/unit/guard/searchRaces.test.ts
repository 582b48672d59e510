import assert from 'node:assert/strict';
import fs, { mkdirSync, readlinkSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findProtectedPaths } from '../../../src/guard/findProtected';
import type { ProtectionRequest } from '../../../src/guard/protectedSearch';
import { useTemporaryFolder } from '../../support/temporaryFolder';

type Moment = 'opened' | 'closed';

/** Another sandbox changes the folder at the moments that are worst. */
describe('finding what must be read-only while another agent', () => {
  const folder = useTemporaryFolder();
  const at = (name: string): string => join(folder(), name);
  const { opendirSync, openSync } = fs;
  let looked: string[];

  beforeEach(() => {
    looked = [];
  });
  afterEach(() => {
    Object.assign(fs, { opendirSync, openSync });
  });

  /** Calls back when the search has opened a folder to list it, and when it has listed it. */
  function whenListed(change: (name: string, moment: Moment) => void): void {
    fs.opendirSync = (path, options) => {
      const name = relative(folder(), readlinkSync(path));
      looked.push(name);
      const opened = opendirSync(path, options);
      const close = opened.closeSync.bind(opened);
      opened.closeSync = () => {
        close();
        change(name, 'closed');
      };
      change(name, 'opened');
      return opened;
    };
  }

  async function find(
    boundElsewhere: ProtectionRequest['boundElsewhere'] = () => Promise.resolve([]),
  ): Promise<{ paths: string[]; isComplete: boolean }> {
    const request = { workspace: folder(), patterns: [], protectsGit: true, skipped: [] };
    const { paths, isComplete } = await findProtectedPaths({ ...request, boundElsewhere });
    return { paths: paths.map(({ path }) => relative(folder(), path)), isComplete };
  }

  it('renames a folder that was listed and not yet opened, finds it under its other name', async () => {
    mkdirSync(at('sub/.git'), { recursive: true });
    whenListed((name, moment) => {
      if (name === '' && moment === 'closed' && fs.existsSync(at('sub'))) renameSync(at('sub'), at('zz'));
    });
    assert.deepEqual(await find(), { paths: ['zz/.git'], isComplete: true });
  });

  it('does so for ever, says that not all was searched', async () => {
    mkdirSync(at('sub/.git'), { recursive: true });
    let [name, other] = [at('sub'), at('zz')];
    whenListed((listed, moment) => {
      if (listed !== '' || moment === 'opened') return;
      renameSync(name, other);
      [name, other] = [other, name];
    });
    assert.deepEqual(await find(), { paths: [], isComplete: false });
  });

  it('renames the folder of a repository that was listed, does not take it for gone', async () => {
    mkdirSync(at('sub/.git'), { recursive: true });
    whenListed((name, moment) => {
      if (name === 'sub' && moment === 'closed') renameSync(at('sub'), at('zz'));
    });
    assert.deepEqual(await find(), { paths: ['zz/.git'], isComplete: true });
  });

  it('changes a folder while it is listed, lists it again', async () => {
    mkdirSync(at('sub/x'), { recursive: true });
    whenListed((name, moment) => {
      if (name === 'sub' && moment === 'opened' && fs.existsSync(at('sub/x')))
        renameSync(at('sub/x'), at('x'));
    });
    assert.equal((await find()).isComplete, true);
    assert.equal(looked.filter((name) => name === 'sub').length, 2);
  });

  describe('moves a repository that it can’t write to', () => {
    let holder: string;
    beforeEach(() => {
      mkdirSync(at('a'));
      mkdirSync(at('b/sub/.git'), { recursive: true });
      holder = 'b';
      // what was searched already gets what was not yet
      whenListed((name, moment) => {
        if (name !== 'a' || moment !== 'closed' || holder !== 'b') return;
        renameSync(at('b/sub'), at('a/sub'));
        holder = 'a';
      });
    });

    it('protects it where it is now', async () => {
      const bound = (): Promise<string[]> => Promise.resolve([at(`${holder}/sub/.git`)]);
      assert.deepEqual(await find(bound), { paths: ['a/sub/.git'], isComplete: true });
    });

    it('searches again when it is not where it was, and says when it is nowhere', async () => {
      const gone = (): Promise<string[]> => Promise.resolve([at('b/sub/.git')]);
      assert.deepEqual(await find(gone), { paths: ['a/sub/.git'], isComplete: false });
    });
  });

  it('and it is not known what that agent can’t write, finds what was moved to where it was searched already', async () => {
    for (const name of ['a', 'b']) mkdirSync(at(name));
    const names = opendirSync(folder());
    const [first, second] = [names.readSync()?.name ?? '', names.readSync()?.name ?? ''];
    names.closeSync();
    mkdirSync(at(`${second}/sub/.git`), { recursive: true });
    const move = (from: string, to: string): void => {
      if (fs.existsSync(at(`${from}/sub`))) renameSync(at(`${from}/sub`), at(`${to}/sub`));
    };
    let isMoving = true;
    fs.openSync = (path, ...more) => {
      if (path === folder() && isMoving) move(first, second);
      if (path === at(second)) move(second, first);
      return openSync(path, ...more);
    };
    const request = { workspace: folder(), patterns: [], protectsGit: true, skipped: [] };
    const search = async (): Promise<[string[], boolean]> => {
      const { paths, isComplete } = await findProtectedPaths({ ...request, isWatchful: () => true });
      return [paths.map(({ path }) => relative(folder(), path)), isComplete];
    };
    assert.deepEqual(await search(), [[], false]);
    move(first, second);
    isMoving = false;
    assert.deepEqual(await search(), [[`${first}/sub/.git`], true]);
  });

  describe('has hidden a repository in another', () => {
    beforeEach(() => mkdirSync(at('new/.git/hidden/sub/.git'), { recursive: true }));
    const search = async (more: Partial<ProtectionRequest>): Promise<[string[], boolean]> => {
      const request = { workspace: folder(), patterns: [], protectsGit: true, skipped: [] };
      const { paths, isSettled } = await findProtectedPaths({ ...request, ...more });
      return [paths.map(({ path }) => relative(folder(), path)), isSettled];
    };

    it('does not take for settled what it can’t write, as it could be taken out again', async () => {
      const bound = [at('new/.git/hidden/sub/.git')];
      assert.deepEqual(await search({ boundElsewhere: () => Promise.resolve(bound) }), [['new/.git'], false]);
      bound.push(at('new/.git'));
      assert.deepEqual(await search({ boundElsewhere: () => Promise.resolve(bound) }), [['new/.git'], true]);
    });

    it('looks for it where it is not known what that agent can’t write', async () => {
      assert.deepEqual(await search({}), [['new/.git'], true]);
      assert.deepEqual(await search({ isWatchful: () => true }), [['new/.git'], false]);
    });
  });

  it('protects nothing in a home, where everything could be written', async () => {
    mkdirSync(at('agent-home/sub/.git'), { recursive: true });
    const request = { workspace: folder(), patterns: [], protectsGit: true, skipped: [at('agent-home')] };
    const boundElsewhere = (): Promise<string[]> => Promise.resolve([at('agent-home/sub/.git')]);
    await assert.rejects(findProtectedPaths({ ...request, boundElsewhere }), { code: 'protected.inHome' });
  });

  it('protects no more of the git of others than is asked for', async () => {
    mkdirSync(at('hooks'));
    const request = { workspace: folder(), patterns: [], protectsGit: false, skipped: [] };
    const boundElsewhere = (): Promise<string[]> => Promise.resolve([at('hooks'), folder()]);
    assert.deepEqual((await findProtectedPaths({ ...request, boundElsewhere })).paths, []);
  });
});
