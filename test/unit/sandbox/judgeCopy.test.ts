import assert from 'node:assert/strict';
import type { ContainerFacts } from '../../../src/sandbox/facts';
import { judge } from '../../../src/sandbox/judge';
import type { Expectation } from '../../../src/sandbox/launchPlan';
import { parseMountinfo } from '../../../src/sandbox/mountinfo';
import type { Verdict } from '../../../src/sandbox/verdict';
import { expectation, facts, mounts } from '../../support/containerFacts';

const source = '/home/me/storage/opencode/aa.opencode';
const identity = { device: '2049', inode: '99', size: '150', changedTime: '7' };
const destination = '/usr/local/bin/opencode';

const asked: Expectation = {
  ...expectation,
  binds: [{ source, destination, mode: 'readOnly', identity, isFile: true }, ...expectation.binds],
};

function seen(mount: string, present: object = identity): ContainerFacts {
  const identities = new Map([...facts.identities, [source, { ...identity, ...present }]]);
  return { ...facts, mounts: [...mounts, ...parseMountinfo(mount)], identities };
}

const usual = `130 93 8:1 ${source} ${destination} ro - ext4 /dev/sda1 rw`;
const stateOf = (verdict: Verdict): string => verdict.state;

describe('judge, of a sandbox with a copy of opencode', () => {
  it('holds the copy to be what was asked for, and lists it', () => {
    const verdict = judge(seen(usual), asked, 'running');
    assert.equal(verdict.state, 'isolated', JSON.stringify(verdict.lines));
    assert.deepEqual(verdict.visiblePaths.at(-1), {
      ...{ hostPath: source, containerPath: destination, mode: 'readOnly' },
    });
  });

  const others: readonly (readonly [string, ContainerFacts])[] = [
    ['it can be written', seen(usual.replace(' ro -', ' rw -'))],
    ['it is elsewhere', seen(usual.replace(destination, '/usr/bin/git'))],
    ['it is another file', seen(usual, { inode: '98' })],
    ['it was changed', seen(usual, { changedTime: '8' })],
    ['it has another size', seen(usual, { size: '151' })],
    ['another file is in its place', seen(usual.replace(source, '/home/me/.ssh/id'))],
    [
      'there is one more',
      seen(`${usual}\n${usual.replace('130', '131').replace(destination, '/usr/bin/x')}`),
    ],
  ];
  for (const phase of ['gate', 'running'] as const) {
    for (const [how, changed] of others) {
      it(`breaks when ${how}, ${phase}`, () => assert.equal(stateOf(judge(changed, asked, phase)), 'broken'));
    }
  }

  it('breaks without the copy at the gate, and with one that nobody asked for', () => {
    assert.equal(stateOf(judge(facts, asked, 'gate')), 'broken');
    assert.equal(stateOf(judge(seen(usual), expectation, 'running')), 'broken');
  });

  it('says so when it was removed while it is used', () => {
    const removed = seen(usual.replace(source, `${source}//deleted`));
    assert.equal(stateOf(judge(removed, asked, 'running')), 'degraded');
    assert.equal(stateOf(judge(removed, asked, 'gate')), 'broken');
  });
});
