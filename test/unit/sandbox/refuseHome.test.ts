import assert from 'node:assert/strict';
import type { Surroundings } from '../../../src/sandbox/forbiddenPlaces';
import type { FolderFacts } from '../../../src/sandbox/refusals';
import { refuseHome } from '../../../src/sandbox/refuseHome';

const workspace = { path: '/data/project', ancestry: ['1:9'] };
const surroundings: Surroundings = {
  homes: [{ path: '/home/ada', ancestry: [] }],
  reserved: [
    { kind: 'temporary', place: { path: '/tmp', ancestry: [] } },
    { kind: 'image', place: { path: '/scratch/images/x.sif', ancestry: [] } },
  ],
};

function codeOf(path: string, more: Partial<FolderFacts> = {}): string | undefined {
  const facts: FolderFacts = {
    place: { path, ancestry: [] },
    kind: 'folder',
    ours: true,
    readable: true,
    writable: true,
    ...more,
  };
  const refusal = refuseHome(facts, workspace, surroundings);
  if (refusal !== undefined) {
    assert.deepEqual(refusal.action, { kind: 'openSetting', setting: 'sandboxedAgent.agentHome' });
    assert(refusal.message.includes(path));
  }
  return refusal?.code;
}

describe('refuseHome', () => {
  it('lets a folder of ours pass, in the workspace or elsewhere, and one that can be made', () => {
    assert.equal(codeOf('/data/project/agent-home'), undefined);
    assert.equal(codeOf('/scratch/ada/agent'), undefined);
    assert.equal(codeOf('/scratch/ada/agent', { kind: 'missing', ours: false, readable: false }), undefined);
  });

  it('refuses links, other things, other people’s folders and closed ones', () => {
    assert.equal(codeOf('/data/project/agent-home', { kind: 'link' }), 'home.symbolicLink');
    assert.equal(codeOf('/data/project/agent-home', { kind: 'other' }), 'home.notAFolder');
    assert.equal(codeOf('/data/project/agent-home', { ours: false }), 'home.foreignOwner');
    assert.equal(codeOf('/data/project/agent-home', { readable: false }), 'home.noAccess');
    assert.equal(codeOf('/data/project/agent-home', { writable: false }), 'home.noAccess');
    assert.equal(codeOf('/data/project/agent-home', { kind: 'unreachable', ours: false }), 'home.noAccess');
  });

  it('refuses the workspace and what holds it', () => {
    assert.equal(codeOf('/data/project'), 'home.containsWorkspace');
    assert.equal(codeOf('/data'), 'home.containsWorkspace');
    assert.equal(
      codeOf('/alias', { place: { path: '/alias', ancestry: ['1:9'] } }),
      'home.containsWorkspace',
    );
  });

  it('refuses what no workspace may be', () => {
    assert.equal(codeOf('/home/ada'), 'home.home');
    assert.equal(codeOf('/home/ada/.ssh', { kind: 'missing' }), 'home.dotFolder');
    assert.equal(codeOf('/tmp'), 'home.temporary');
    assert.equal(codeOf('/etc/agent', { kind: 'missing' }), 'home.systemFolder');
    assert.equal(codeOf('/scratch/images'), 'home.image');
  });
});
