import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Finding } from '../../src/guard/finding';
import { GuardStore } from '../../src/guard/guardStore';
import { WorkspaceGuard, type WorkspaceGuardOptions } from '../../src/guard/workspaceGuard';
import { useTemporaryFolder } from './temporaryFolder';
import { waitUntil } from './waitUntil';

/** It is 0.2 s, and 2 s is promised (`npm run bench -- --only guard`); here machines are busy. */
const foundMilliseconds = 20_000;

/** Guards of one workspace, as windows make them, one after the other. */
export class GuardUnderTest {
  readonly errors: unknown[] = [];
  private present: WorkspaceGuard | undefined;

  constructor(
    readonly workspace: string,
    private readonly storage: string,
    private readonly changes: Partial<WorkspaceGuardOptions> = {},
  ) {
    mkdirSync(workspace, { recursive: true });
  }

  get guard(): WorkspaceGuard {
    if (!this.present) throw new Error('no window was opened');
    return this.present;
  }

  /** What a window does first. */
  async open(): Promise<WorkspaceGuard> {
    this.present = new WorkspaceGuard({
      folder: { workspace: this.workspace, patterns: [], home: 'agent-home' },
      store: await GuardStore.open(this.storage, this.workspace),
      boundBy: () => undefined,
      onChange: () => undefined,
      onError: (error) => this.errors.push(error),
      ...this.changes,
    });
    return this.present;
  }

  /** `change rule path` of each finding, sorted. */
  found(): string[] {
    return this.guard
      .list()
      .map(({ change, mark, path, isGone }) => `${isGone ? 'gone' : change} ${mark.rule} ${path}`)
      .sort();
  }

  async finds(...expected: string[]): Promise<void> {
    const isFound = (): boolean => JSON.stringify(this.found()) === JSON.stringify([...expected].sort());
    await waitUntil(`found ${expected.join(', ')}`, isFound, foundMilliseconds, () =>
      this.found().join('\n'),
    );
  }

  /** Writes a file of the workspace, with the folders above it. */
  put(path: string, content = ''): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
  }

  at(...names: string[]): string {
    return join(this.workspace, ...names);
  }

  /** Closes the present window, and waits until it has written what it was about to write. */
  async close(): Promise<void> {
    this.guard.dispose();
    await this.guard.settle();
  }

  finding(path: string): Finding | undefined {
    return this.guard.list().find((each) => each.path === path);
  }
}

/** A guard for each test of a block, in folders of its own; a test that made it complain fails. */
export function useGuard(): () => GuardUnderTest {
  let world: GuardUnderTest | undefined;
  const present = (): GuardUnderTest => {
    if (!world) throw new Error('only in a test');
    return world;
  };
  // before the folders are removed: it may still be writing there
  afterEach(async () => {
    await present().close();
    assert.deepEqual(present().errors, []);
  });
  const folder = useTemporaryFolder();
  beforeEach(async () => {
    world = new GuardUnderTest(join(folder(), 'workspace'), join(folder(), 'storage'));
    await world.open();
  });
  return present;
}
