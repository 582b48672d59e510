import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  promises,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { listQuarantined, takeAway } from '../../../src/guard/quarantine';
import { UserError } from '../../../src/sandbox/userError';
import { isRoot, useTemporaryFolder } from '../../support/temporaryFolder';

describe('the quarantine loses nothing', () => {
  const folder = useTemporaryFolder();
  const workspace = (): string => join(folder(), 'workspace');
  const directory = (): string => join(folder(), 'quarantine');
  let opened: number | undefined;
  beforeEach(() => {
    mkdirSync(workspace());
    mkdirSync(directory(), { mode: 0o700 });
  });
  afterEach(() => {
    mock.restoreAll();
    if (opened !== undefined) closeSync(opened);
    opened = undefined;
  });

  /** A repository, and how a process that has it open makes another file in it, wherever it is. */
  function makeRepository(): (name: string) => void {
    execFileSync('git', ['init', '-q', workspace()]);
    const descriptor = openSync(join(workspace(), '.git'), constants.O_RDONLY | constants.O_DIRECTORY);
    opened = descriptor;
    return (name) => writeFileSync(`/proc/self/fd/${descriptor}/${name}`, 'late');
  }

  /** Does something, once, before the first call of `name` whose path matches. */
  function before(name: 'open' | 'unlink', path: RegExp, act: () => void): void {
    const real = promises[name] as (...values: unknown[]) => unknown;
    let isDone = false;
    mock.method(promises, name, (...values: unknown[]) => {
      if (!isDone && path.test(String(values[0]))) {
        isDone = true;
        act();
      }
      return real(...values);
    });
  }

  const noSpace = (): never => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };

  async function refusal(path: string): Promise<UserError> {
    const error: unknown = await takeAway(directory(), workspace(), path).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert(error instanceof UserError, String(error));
    return error;
  }

  it('when the record can’t be written', async () => {
    writeFileSync(join(workspace(), '.envrc'), 'mine');
    before('open', /record\.json$/, noSpace);
    await assert.rejects(takeAway(directory(), workspace(), '.envrc'), /no space left/);
    assert.deepEqual(readdirSync(workspace()), ['.envrc']);
    assert.equal(readFileSync(join(workspace(), '.envrc'), 'utf8'), 'mine');
    assert.deepEqual(readdirSync(directory()), []);
  });

  it('when something else has taken the place of what can’t be put back', async () => {
    writeFileSync(join(workspace(), '.envrc'), 'mine');
    before('open', /record\.json$/, () => {
      writeFileSync(join(workspace(), '.envrc'), 'other');
      noSpace();
    });
    const { code, description } = await refusal('.envrc');
    assert.equal(code, 'quarantine.aside');
    assert.equal(readFileSync(join(workspace(), '.envrc'), 'utf8'), 'other');
    assert.equal(readFileSync(join(workspace(), String(description.values[0])), 'utf8'), 'mine');
    assert.equal(readdirSync(directory()).length, 1);
  });

  it('when a folder is changed inside while it is copied', async () => {
    const make = makeRepository();
    before('open', /\/HEAD$/, () => make('late'));
    assert.equal((await refusal('.git')).code, 'quarantine.changed');
    assert.equal(readFileSync(join(workspace(), '.git/late'), 'utf8'), 'late');
    assert.ok(existsSync(join(workspace(), '.git/HEAD')));
    assert.deepEqual(readdirSync(workspace()), ['.git']);
    assert.deepEqual(readdirSync(directory()), []);
  });

  it('when a folder is changed inside while it is removed', async () => {
    const make = makeRepository();
    before('unlink', /./, () => make('late'));
    const { code, description } = await refusal('.git');
    assert.equal(code, 'quarantine.remains');
    assert.equal(readFileSync(join(workspace(), String(description.values[0]), 'late'), 'utf8'), 'late');
    const [kept] = await listQuarantined(directory());
    assert.equal(kept?.path, '.git');
    assert.ok(existsSync(join(directory(), kept.id, 'content/HEAD')));
  });

  it('when a name in a folder is no text, or a folder in it can’t be read', async () => {
    makeRepository();
    const odd = Buffer.from(`${join(workspace(), '.git/odd')}\xff`, 'latin1');
    writeFileSync(odd, 'mine');
    assert.equal((await refusal('.git')).code, 'quarantine.unreadable');
    assert.equal(readFileSync(odd, 'utf8'), 'mine');
    if (isRoot) return;
    rmSync(odd);
    mkdirSync(join(workspace(), '.git/closed'));
    writeFileSync(join(workspace(), '.git/closed/x'), 'mine');
    execFileSync('/bin/chmod', ['0', join(workspace(), '.git/closed')]);
    assert.equal((await refusal('.git')).code, 'quarantine.unreadable');
    execFileSync('/bin/chmod', ['700', join(workspace(), '.git/closed')]);
    assert.equal(readFileSync(join(workspace(), '.git/closed/x'), 'utf8'), 'mine');
  });
});
