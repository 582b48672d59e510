import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identified } from '../../../src/host/fileIdentity';
import { writeIndexEntry, type SandboxIndexEntry } from '../../../src/host/sandboxIndex';
import { protectWorkspace } from '../../../src/launch/protectWorkspace';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { UserError } from '../../../src/sandbox/userError';
import { liveEntry } from '../../support/indexEntries';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('protecting a workspace that can’t be searched to its end', () => {
  const root = useTemporaryFolder();
  /** of another computer */
  const hostName = 'elsewhere';
  const at = (...names: string[]): string => join(root(), ...names);

  beforeEach(() => {
    for (const name of ['index', 'project/agent-home', 'project/sub'])
      mkdirSync(at(name), { recursive: true });
    // a name that is no text
    mkdirSync(Buffer.from(`${at('project', 'bytes')}\xff`, 'latin1'));
  });

  const enter = async (changes: Partial<SandboxIndexEntry>): Promise<void> =>
    writeIndexEntry(at('index'), await liveEntry(changes));

  /** The error, if it is refused; else how many notes there are. */
  async function outcome(setting: 'memory' | 'folder' = 'folder'): Promise<UserError | number> {
    const home: SandboxSpecification['home'] =
      setting === 'memory'
        ? { kind: 'memory' }
        : { kind: 'folder', folder: await identified(at('project', 'agent-home')) };
    return protectWorkspace(at('project'), home, {}, at('index')).then(
      ({ notes }) => notes.length,
      (error: unknown) => (error instanceof UserError ? error : assert.fail(String(error))),
    );
  }

  async function isRefused(setting?: 'memory' | 'folder'): Promise<boolean> {
    const found = await outcome(setting);
    return found instanceof UserError && found.code === 'protected.disturbed';
  }

  it('is noted while nobody else works there', async () => {
    assert.equal(await outcome(), 1);
    await enter({ workspace: at('other') });
    await enter({ id: '1'.repeat(16), workspace: at('project'), supervisorStartTime: '1' });
    assert.equal(await outcome(), 1);
  });

  it('is noted while another sandbox is about to begin there, whose agent can’t have hidden anything', async () => {
    await enter({ workspace: at('project'), home: at('project', 'agent-home') });
    assert.equal(await outcome(), 1);
  });

  it('is refused while another computer’s works there, and not while it only has its home there', async () => {
    await enter({ workspace: at('project'), home: at('project', 'agent-home'), hostName });
    assert.equal(await isRefused(), true);
    await enter({ workspace: at('other'), home: at('project', 'agent-home'), hostName });
    assert.equal(await isRefused(), false);
    assert.equal(await isRefused('memory'), false);
  });

  it('is refused, too, for what git’s configuration names', async () => {
    mkdirSync(at('clean', '.git'), { recursive: true });
    writeFileSync(at('clean', '.git', 'config'), '#'.repeat(1_000_001));
    const protect = (): Promise<unknown> =>
      protectWorkspace(at('clean'), { kind: 'memory' }, {}, at('index'));
    await protect();
    await enter({ workspace: at('clean'), hostName });
    await assert.rejects(protect, { code: 'protected.disturbed' });
  });

  it('says of another computer what to do when nothing runs there any more', async () => {
    await enter({ workspace: at('project'), home: at('project', 'agent-home'), hostName });
    const error = await outcome();
    assert(error instanceof UserError);
    assert.match(error.message, /elsewhere/);
    assert.match(error.message, /index\/0123456789abcdef\.json/);
  });
});
