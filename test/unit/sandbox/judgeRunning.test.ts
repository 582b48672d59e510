import assert from 'node:assert/strict';
import type { ContainerFacts } from '../../../src/sandbox/facts';
import { judge } from '../../../src/sandbox/judge';
import { parseMountinfo } from '../../../src/sandbox/mountinfo';
import type { FactName, LineStatus } from '../../../src/sandbox/verdict';
import { expectation, facts, mounts, workspace } from '../../support/containerFacts';

function lineOf(
  fact: FactName,
  changed: Partial<ContainerFacts>,
  phase: 'gate' | 'running',
): LineStatus | undefined {
  return judge({ ...facts, ...changed }, expectation, phase).lines.find((line) => line.fact === fact)?.status;
}

const withoutMount = (mountPoint: string) => ({
  mounts: mounts.filter((mount) => mount.mountPoint !== mountPoint),
});

describe('judge, while it runs', () => {
  const renamed = {
    mounts: parseMountinfo('120 93 8:1 /data/w2 /data/w rw - ext4 /dev/sda1 rw').concat(
      withoutMount('/data/w').mounts,
    ),
    identities: new Map([['/data/w2', workspace]]),
  };
  const removed = {
    mounts: parseMountinfo('120 93 8:1 /data/w//deleted /data/w rw - ext4 /dev/sda1 rw').concat(
      withoutMount('/data/w').mounts,
    ),
    identities: new Map(),
  };
  for (const [how, changed] of [
    ['a read-only bind is lost', withoutMount('/run/sandboxed-agent')],
    ['the workspace was renamed', renamed],
    ['the workspace was removed', removed],
  ] as const) {
    it(`is degraded when ${how}, and would not have been started so`, () => {
      assert.equal(lineOf('hostPaths', changed, 'running'), 'degraded');
      assert.equal(lineOf('hostPaths', changed, 'gate'), 'broken');
    });
  }

  it('is broken when something worse comes after a finding', () => {
    const extra = parseMountinfo('131 93 8:1 /home/me /mnt rw - ext4 /dev/sda1 rw');
    assert.equal(
      lineOf('hostPaths', { ...renamed, mounts: [...renamed.mounts, ...extra] }, 'running'),
      'broken',
    );
  });

  it('is degraded when descriptors can’t be read', () => {
    assert.equal(lineOf('descriptors', { unreadableDescriptors: [9] }, 'running'), 'degraded');
  });
});
