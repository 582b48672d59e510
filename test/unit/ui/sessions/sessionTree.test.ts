import assert from 'node:assert/strict';
import {
  sessionTree,
  type FolderSessions,
  type TreeNode,
  type TreeOptions,
} from '../../../../src/ui/sessions/sessionTree';
import type { Session } from '../../../../src/opencode/sessions/sessionStore';
import { makeSession, makeSums, sessionIdOf } from '../../../support/sessions';

const day = 24 * 60 * 60 * 1000;
const options: TreeOptions = { filter: '', order: 'updated', dayOf: (time) => time - (time % day) };

function folder(sessions: readonly Session[], changes: Partial<FolderSessions> = {}): FolderSessions {
  return {
    folder: '/work',
    label: 'work',
    state: 'ready',
    sessions,
    deleted: [],
    agentsSince: [],
    ...changes,
  };
}

/** The tree as text: kind or title, indented. */
function outline(nodes: readonly TreeNode[], depth = 0): string[] {
  return nodes.flatMap(({ data, children }) => {
    const name =
      data.kind === 'session'
        ? data.session.title
        : data.kind === 'file'
          ? data.file.file
          : data.kind === 'day'
            ? `day ${data.start / day}`
            : data.kind;
    return [`${'  '.repeat(depth)}${name}`, ...outline(children, depth + 1)];
  });
}

describe('the tree of sessions', () => {
  it('groups sessions by day, the latest first, sub-agents and changed files below their session', () => {
    const file = { file: 'plot.py', additions: 1, deletions: 0 };
    const tree = sessionTree(
      [
        folder([
          makeSession(1, { updated: day + 1, title: 'old' }),
          makeSession(2, {
            updated: 2 * day + 1,
            title: 'parent',
            sums: makeSums(2, { files: [file], fileCount: 1 }),
          }),
          makeSession(3, { updated: 2 * day + 5, title: 'sub', parent: sessionIdOf(2) }),
          makeSession(4, { updated: 2 * day + 9, title: 'latest' }),
        ]),
      ],
      options,
    );
    assert.deepEqual(outline(tree), [
      'day 2',
      '  latest',
      '  parent',
      '    sub',
      '    plot.py',
      'day 1',
      '  old',
    ]);
  });

  it('has every session once, whatever the database says of parents', () => {
    const tree = sessionTree(
      [
        folder([
          makeSession(1, { parent: sessionIdOf(2) }),
          makeSession(2, { parent: sessionIdOf(1) }),
          makeSession(3, { parent: sessionIdOf(3) }),
          makeSession(4, { parent: sessionIdOf(1) }),
          makeSession(5, { parent: sessionIdOf(99) }),
        ]),
      ],
      options,
    );
    const titles = outline(tree)
      .map((line) => line.trim())
      .filter((line) => line.startsWith('Session'))
      .sort();
    assert.deepEqual(
      titles,
      [1, 2, 3, 4, 5].map((number) => `Session ${number}`),
    );
  });

  it('bears ten thousand sessions that each started the next', () => {
    const sessions = Array.from({ length: 10_000 }, (_, number) =>
      makeSession(number, { parent: sessionIdOf(number - 1) }),
    );
    const started = performance.now();
    const tree = sessionTree([folder(sessions)], options);
    assert.ok(performance.now() - started < 1000);
    assert.equal(outline(tree).filter((line) => line.includes('Session')).length, 10_000);
  });

  it('finds a session by the title of its sub-agent', () => {
    const sessions = [
      makeSession(1),
      makeSession(2, { parent: sessionIdOf(1), title: 'Muons' }),
      makeSession(3),
    ];
    assert.deepEqual(outline(sessionTree([folder(sessions)], { ...options, filter: ' mUon' })), [
      'day 0',
      '  Session 1',
      '    Muons',
    ]);
  });

  it('sorts by cost without days, and puts archived and deleted sessions at the end', () => {
    const deleted = { id: sessionIdOf(9), title: 'gone', deletedAt: 1 };
    const sessions = [
      makeSession(1, { cost: 1 }),
      makeSession(2, { cost: 3 }),
      makeSession(3, { archived: 5 }),
    ];
    assert.deepEqual(
      outline(sessionTree([folder(sessions, { deleted: [deleted] })], { ...options, order: 'cost' })),
      ['Session 2', 'Session 1', 'archived', '  Session 3', 'deleted', '  deletedSession'],
    );
  });

  it('takes an unfinished answer for running only while an agent runs that can be writing it', () => {
    const open = makeSession(1, { sums: makeSums(1, { isOpen: true, lastMessage: 100 }) });
    const isRunning = (agentsSince: readonly number[]): boolean => {
      const [group] = sessionTree([folder([open], { agentsSince })], options);
      const data = group?.children[0]?.data;
      return data?.kind === 'session' && data.isRunning;
    };
    assert.equal(isRunning([50]), true);
    assert.equal(isRunning([150]), false);
    assert.equal(isRunning([]), false);
  });

  it('puts several folders side by side', () => {
    const tree = sessionTree(
      [folder([makeSession(1)]), folder([], { folder: '/other', state: 'empty' })],
      options,
    );
    assert.deepEqual(outline(tree), ['folder', '  day 0', '    Session 1', 'folder']);
  });

  it('keeps the ids of its nodes apart', () => {
    const tree = sessionTree(
      [folder([makeSession(1)]), folder([makeSession(1)], { folder: '/other' })],
      options,
    );
    const ids = (nodes: readonly TreeNode[]): string[] =>
      nodes.flatMap(({ id, children }) => [id, ...ids(children)]);
    assert.equal(new Set(ids(tree)).size, ids(tree).length);
  });
});
