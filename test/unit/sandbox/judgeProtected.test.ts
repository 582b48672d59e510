import assert from 'node:assert/strict';
import type { ContainerFacts } from '../../../src/sandbox/facts';
import { judge } from '../../../src/sandbox/judge';
import { formatMessage } from '../../../src/sandbox/message';
import { parseMountinfo } from '../../../src/sandbox/mountinfo';
import type { FactName, JudgedPhase, VerdictLine } from '../../../src/sandbox/verdict';
import { expectation, facts, mounts } from '../../support/containerFacts';

const identity = { device: '2049', inode: '55', size: '1', changedTime: '1' };
const guarded = {
  ...expectation,
  binds: [
    ...expectation.binds,
    {
      ...{ source: '/data/w/lib/.git', destination: '/data/w/lib/.git', mode: 'readOnly' as const },
      ...{ identity, protects: '.git' },
    },
  ],
};

/** Facts in which the guard is mounted from `root` at `mountPoint`; undefined: not at all. */
function withGuard(mount?: string, seen = '/data/w/lib/.git', inode = identity.inode): ContainerFacts {
  return {
    ...facts,
    mounts: mount === undefined ? mounts : [...mounts, ...parseMountinfo(mount)],
    identities: new Map([...facts.identities, [seen, { ...identity, inode }]]),
  };
}

const inPlace = '130 120 8:1 /data/w/lib/.git /data/w/lib/.git ro - ext4 /dev/sda1 rw';

function lines(seen: ContainerFacts, phase: JudgedPhase): Partial<Record<FactName, VerdictLine>> {
  return Object.fromEntries(judge(seen, guarded, phase).lines.map((line) => [line.fact, line]));
}

describe('judging what is read-only in the workspace', () => {
  it('holds while it is where it was', () => {
    const { protectedPaths, hostPaths } = lines(withGuard(inPlace), 'gate');
    assert.equal(protectedPaths?.status, 'holds');
    assert.equal(protectedPaths.detail.values[0], 1);
    assert.equal(hostPaths?.status, 'holds');
  });

  it('is a finding when a tool of the host took the bind away, and never starts like that', () => {
    assert.equal(lines(withGuard(), 'running').protectedPaths?.status, 'degraded');
    assert.equal(judge(withGuard(), guarded, 'running').state, 'degraded');
    assert.equal(judge(withGuard(), guarded, 'gate').state, 'broken');
  });

  it('is a finding when a folder above it was renamed, which needs no right of the agent’s', () => {
    const moved = '130 120 8:1 /data/w/chosen/.git /data/w/chosen/.git ro - ext4 /dev/sda1 rw';
    const found = lines(withGuard(moved, '/data/w/chosen/.git'), 'running');
    assert.equal(found.protectedPaths?.status, 'degraded');
    assert.match(formatMessage(found.protectedPaths.detail), /^\.git: a folder above it was renamed/);
    assert.equal(found.hostPaths?.status, 'holds', 'it shows nothing but the workspace');
  });

  it('is a finding when it was moved where nothing can be looked at', () => {
    const moved = '130 120 8:1 /data/w/chosen/.git /data/w/chosen/.git ro - ext4 /dev/sda1 rw';
    const found = lines({ ...withGuard(moved), identities: facts.identities }, 'running');
    assert.equal(found.protectedPaths?.status, 'degraded');
    assert.equal(found.hostPaths?.status, 'holds');
  });

  it('breaks when it can be written', () => {
    const verdict = judge(withGuard(inPlace.replace(' ro ', ' rw ')), guarded, 'running');
    assert.equal(verdict.state, 'broken');
    const line = verdict.lines.find(({ status }) => status === 'broken');
    assert.doesNotMatch(formatMessage(line!.detail), /lib/);
  });

  it('breaks at the gate when it is another one than was checked', () => {
    assert.equal(judge(withGuard(inPlace, undefined, '56'), guarded, 'gate').state, 'broken');
  });

  it('is fatal when something else of the host is in its place', () => {
    const other = '130 120 8:1 /home/me/.git /data/w/lib/.git ro - ext4 /dev/sda1 rw';
    assert.equal(judge(withGuard(other), guarded, 'running').state, 'broken');
  });
});
