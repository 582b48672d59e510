import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { protectWorkspace } from '../../src/launch/protectWorkspace';
import { UserError } from '../../src/sandbox/userError';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { git } from './support/repositories';
import { specify } from './support/sandboxUnderTest';
import { useSandboxes } from './support/startedSandboxes';

/** An agent that can't write something opens it to the next sandbox, by hiding it while that one starts. */
describe('a second sandbox, while the agent of the first one', () => {
  const sandboxes = useSandboxes();
  const at = (...names: string[]): string => join(sandboxes().folders.workspace, ...names);

  async function protectedPaths(): Promise<{ names: string[]; parts: object }> {
    const { folders } = sandboxes();
    const { home } = specify(folders);
    const { parts } = await protectWorkspace(folders.workspace, home, {}, folders.index);
    const paths = parts.protectedPaths ?? [];
    return { names: paths.map(({ path }) => relative(folders.workspace, path)).sort(), parts };
  }

  async function startShell(): Promise<ScreenReader> {
    const { parts } = await protectedPaths();
    const { connection } = await sandboxes().start(specify(sandboxes().folders, parts));
    await sandboxes().runs(connection);
    return ScreenReader.attach(connection);
  }

  async function inside(screen: ScreenReader, command: string): Promise<string> {
    screen.type(`(${command}) > outcome 2>&1; touch finished\r`);
    await waitUntil(`${command} is over`, () => existsSync(at('finished')), 30_000);
    rmSync(at('finished'));
    return readFileSync(at('outcome'), 'utf8');
  }

  it('has moved what git runs, can’t write it either', async () => {
    git(at(), 'init', '-q');
    git(at(), 'config', 'core.hooksPath', 'tools/hooks');
    mkdirSync(at('tools/hooks'), { recursive: true });
    const first = await startShell();
    assert.equal(await inside(first, 'mv tools other'), '');
    const second = await startShell();
    assert.equal(await inside(first, 'mv other tools'), '');
    const hook = at('tools/hooks/pre-commit');
    assert.match(
      await inside(second, `printf '#!/bin/sh\\ntouch ${at('ran')}\\n' > ${hook} && chmod +x ${hook}`),
      /[Rr]ead-only/,
    );
    git(at(), '-c', 'user.name=a', 'commit', '--allow-empty', '-qm', 'x');
    assert.equal(existsSync(at('ran')), false);
  });

  it('has hidden what it can’t write in what is read-only for the next one alone, is refused', async () => {
    mkdirSync(at('sub'));
    git(at('sub'), 'init', '-q');
    const first = await startShell();
    assert.equal(await inside(first, 'mkdir -p new/.git/hidden && mv sub new/.git/hidden/sub'), '');
    await assert.rejects(startShell(), { code: 'protected.disturbed' });
    assert.equal(await inside(first, 'mv new/.git/hidden/sub sub'), '');
    const second = await startShell();
    assert.match(await inside(second, 'echo x > sub/.git/hook'), /[Rr]ead-only/);
  });

  it('works in a folder that can’t be searched to its end, is told so, as it is known what that one can’t write', async () => {
    // a name that is no text
    mkdirSync(Buffer.from(`${at('bytes')}\xff`, 'latin1'));
    await startShell();
    const { folders } = sandboxes();
    const { home } = specify(folders);
    assert.equal((await protectWorkspace(folders.workspace, home, {}, folders.index)).notes.length, 1);
  });

  it('renames a folder without end, has the repository in it read-only, or is refused', async () => {
    mkdirSync(at('sub'));
    git(at('sub'), 'init', '-q');
    const first = await startShell();
    first.type('while [ ! -e enough ]; do mv sub zz; touch moving; mv zz sub; done\r');
    await waitUntil('it moves', () => existsSync(at('moving')), 30_000);
    const outcomes = new Set<string>();
    for (let tries = 0; tries < 20; tries += 1) {
      outcomes.add(
        await protectedPaths().then(
          ({ names }) => names.join(' '),
          (error: unknown) => (error instanceof UserError ? error.code : String(error)),
        ),
      );
    }
    writeFileSync(at('enough'), '');
    // both: then one of them is not there when it is bound, and the start fails
    for (const outcome of outcomes)
      assert.match(outcome, /^(?:(?:sub|zz)\/\.git(?: zz\/\.git)?|protected\.disturbed)$/);
    await waitUntil('it has stopped', () => existsSync(at('sub')), 30_000);
  });
});
