import assert from 'node:assert/strict';
import { formatMessage } from '../../../../src/sandbox/message';
import { sessionRow, type RowOptions } from '../../../../src/ui/sessions/sessionRows';
import { makeSession, makeSums } from '../../../support/sessions';

const hour = 60 * 60 * 1000;
const options: RowOptions = {
  now: 100 * hour,
  today: 96 * hour,
  render: formatMessage,
  dayName: (start) => `day ${start}`,
  timeName: (time) => `time ${time}`,
};
const folder = '/work';

describe('a row of a session', () => {
  it('says how old it is, what it cost and what it changed', () => {
    const session = makeSession(1, {
      updated: 98 * hour,
      cost: 0.256,
      sums: makeSums(1, { messages: 7, context: 1234, fileCount: 2, additions: 5, deletions: 3 }),
    });
    const row = sessionRow({ kind: 'session', folder, session, isRunning: false }, options);
    assert.equal(row.label, 'Session 1');
    assert.equal(row.description, '2 h ago · 7 messages · $0.26 · 2 files');
    assert.match(
      row.tooltip,
      /Model: site\/big\n.*\nMessages: 7\nContext: 1,234 tokens\nTokens in all: 1,000\nCost: \$0.26\nChanged files: 2 \(\+5 −3 lines\)/s,
    );
    assert.equal(row.contextValue, 'session present');
  });

  it('counts one as one, and no lines that are not known', () => {
    const session = makeSession(1, {
      updated: 98 * hour,
      sums: makeSums(1, { messages: 1, fileCount: 1, additions: null, deletions: null }),
    });
    const row = sessionRow({ kind: 'session', folder, session, isRunning: false }, options);
    assert.equal(row.description, '2 h ago · 1 message · 1 file');
    assert.match(row.tooltip, /^Changed files: 1$/m);
    assert.doesNotMatch(row.tooltip, /Context/);
    const file = { file: 'a.py', additions: null, deletions: null };
    const changed = sessionRow({ kind: 'file', folder, session, file }, options);
    assert.equal(changed.description, '');
    assert.equal(changed.accessibleLabel, 'a.py');
  });

  it('says whether it runs or was interrupted', () => {
    const session = makeSession(1, { sums: makeSums(1, { isOpen: true }) });
    const row = (isRunning: boolean): string =>
      sessionRow({ kind: 'session', folder, session, isRunning }, options).description;
    assert.match(row(true), /^running · /);
    assert.match(row(false), /^interrupted · /);
  });

  it('shows nothing of a title but its text', () => {
    const session = makeSession(1, { title: '$(bug) [x](command:evil) \u202egnp' });
    const { label } = sessionRow({ kind: 'session', folder, session, isRunning: false }, options);
    assert.equal(label, '$ (bug) [x] (command:evil) \ufffdgnp');
    const untitled = sessionRow(
      { kind: 'session', folder, session: makeSession(1, { title: '' }), isRunning: false },
      options,
    );
    assert.equal(untitled.label, '(no title)');
  });

  it('calls the last two days by their names', () => {
    const label = (start: number): string =>
      sessionRow({ kind: 'day', folder, start, count: 1 }, options).label;
    assert.equal(label(96 * hour), 'Today');
    // the night in which clocks are set back
    assert.equal(label(71 * hour), 'Yesterday');
    assert.equal(label(48 * hour), `day ${48 * hour}`);
  });

  it('shows how much of a file was changed, and where it is', () => {
    const file = { file: 'src/[x](y)/[a](b).py', additions: 3, deletions: 1 };
    const row = sessionRow({ kind: 'file', folder, session: makeSession(1), file }, options);
    assert.equal(row.label, '[a] (b).py');
    assert.equal(row.description, '+3 −1 · src/[x] (y)');
  });
});
