import assert from 'node:assert/strict';
import type { Session } from '../../../../src/opencode/sessions/sessionStore';
import { SessionNodes, type SessionNode } from '../../../../src/ui/sessions/sessionNodes';
import { sessionTree, type TreeNode, type TreeOptions } from '../../../../src/ui/sessions/sessionTree';
import { makeSession, makeSums, sessionIdOf } from '../../../support/sessions';

const day = 24 * 60 * 60 * 1000;
const options: TreeOptions = { filter: '', order: 'updated', dayOf: (time) => time - (time % day) };

function treeOf(sessions: readonly Session[]): TreeNode[] {
  const folder = { folder: '/work', label: 'work', state: 'ready', deleted: [], agentsSince: [] } as const;
  return sessionTree([{ ...folder, sessions }], options);
}

describe('the elements of the tree of sessions', () => {
  let nodes: SessionNodes;
  beforeEach(() => {
    nodes = new SessionNodes();
  });

  /** The elements with these ids among those that were asked for. */
  function idsOf(elements: readonly SessionNode[] | undefined): string[] | undefined {
    return elements?.map(({ id }) => id);
  }

  const session = (number: number): string => `session /work ${sessionIdOf(number)}`;
  const early = makeSession(1, { updated: 1 });
  const later = makeSession(2, { updated: day + 2 });
  const latest = makeSession(3, { updated: day + 3 });

  it('stay the same while they stand for the same, also in another place', () => {
    assert.equal(nodes.update(treeOf([latest, later, early])), undefined);
    const [second, first] = nodes.roots;
    assert.ok(first && second);
    const before = nodes.childrenOf(second);
    assert.deepEqual(idsOf(before), [session(3), session(2)]);
    assert.deepEqual(idsOf(nodes.childrenOf(first)), [session(1)]);
    const moved = { ...early, updated: day + 9 };
    const [, , third] = [...before, ...nodes.childrenOf(first)];
    nodes.update(treeOf([moved, latest, later]));
    assert.deepEqual(nodes.roots, [second]);
    assert.deepEqual(nodes.childrenOf(second), [third, ...before]);
    assert.deepEqual(third?.data, {
      kind: 'session',
      folder: '/work',
      session: moved,
      isRunning: false,
    });
  });

  it('are told of when they look different, and no others', () => {
    nodes.update(treeOf([latest, later, early]));
    const [second] = nodes.roots;
    assert.ok(second);
    nodes.childrenOf(second);
    assert.deepEqual(idsOf(nodes.update(treeOf([latest, later, early]))), []);
    const renamed = { ...later, title: 'Muons' };
    assert.deepEqual(idsOf(nodes.update(treeOf([latest, renamed, early]))), [session(2)]);
    // of a day that was not opened nobody knows
    assert.deepEqual(idsOf(nodes.update(treeOf([latest, renamed, { ...early, title: 'x' }]))), []);
    const other = makeSession(4, { updated: day + 4 });
    assert.deepEqual(idsOf(nodes.update(treeOf([other, latest, renamed, early]))), [second.id]);
  });

  it('are told of when they can be opened since', () => {
    nodes.update(treeOf([later]));
    const [only] = nodes.roots;
    assert.ok(only);
    const [row] = nodes.childrenOf(only);
    assert.equal(row?.found.hasChildren, false);
    assert.deepEqual(nodes.childrenOf(row), []);
    const file = { file: 'plot.py', additions: 1, deletions: 0 };
    const summed = { ...later, sums: makeSums(2, { files: [file], fileCount: 1 }) };
    assert.deepEqual(nodes.update(treeOf([summed])), [row]);
    assert.equal(row.found.hasChildren, true);
    assert.equal(nodes.childrenOf(row)[0]?.data.kind, 'file');
  });
});
