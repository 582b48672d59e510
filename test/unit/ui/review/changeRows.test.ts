import assert from 'node:assert/strict';
import { formatMessage } from '../../../../src/sandbox/message';
import { type BytePath, fromText } from '../../../../src/snapshot/bytePath';
import type { Change } from '../../../../src/snapshot/diff';
import { stateOf } from '../../../../src/snapshot/keptStates';
import type { Entry } from '../../../../src/snapshot/manifest';
import { changeRow, sideText, standInWord } from '../../../../src/ui/review/changeRows';

const file = (more: Partial<Entry & { kind: 'file' }> = {}): Entry => ({
  ...{ kind: 'file', mode: 0o644, size: 5, stamp: '1 5 1 1', sha256: 'a'.repeat(64) },
  ...more,
});
const row = (change: Change) => changeRow(change, formatMessage);

describe('a row of the view Changes', () => {
  it('says what happened, and where', () => {
    const change: Change = { path: fromText('src/main.py'), kind: 'new', after: file() };
    assert.deepEqual(row(change), {
      label: 'main.py',
      description: 'new · src',
      icon: 'diff-added',
      tooltip: 'src/main.py\nnew',
      accessibleLabel: 'main.py, new, src',
      contextValue: 'change',
    });
  });

  it('names where something was, its permissions, and contents that are not shown', () => {
    const description = (change: Omit<Change, 'path'>): string =>
      row({ path: fromText('x'), ...change }).description;
    const both = { before: file(), after: file() };
    assert.equal(description({ ...both, kind: 'renamed', from: fromText('old/y') }), 'was old/y');
    const executable = file({ mode: 0o755 });
    assert.equal(
      description({ ...both, kind: 'mode', after: executable }),
      'permissions · 644 → 755 · executable',
    );
    const binary = file({ isBinary: true });
    assert.equal(description({ ...both, kind: 'changed', after: binary }), 'changed · binary');
    const large: Entry = { kind: 'file', mode: 0o644, size: 5, stamp: '', notKept: 'large' };
    assert.equal(description({ kind: 'new', after: large }), 'new · large');
    // an agent can write another content, and set back the time by which it is known
    const renamed: Omit<Change, 'path'> = {
      kind: 'renamed',
      from: fromText('old'),
      before: large,
      after: large,
    };
    assert.equal(description(renamed), 'was old · content not compared · large');
    const link: Entry = { kind: 'link', target: fromText('t') };
    assert.equal(description({ kind: 'gone', before: link }), 'gone · symbolic link');
    assert.equal(description({ kind: 'new', after: { kind: 'folder', mode: 0o755 } }), 'new · folder');
    assert.equal(description({ kind: 'new', after: { kind: 'other' } }), 'new · special file');
  });

  it('lets no name pass for anything else', () => {
    const hostile = fromText('$(alert)/[x](command:y)\u202e.py');
    const shown = JSON.stringify(row({ path: hostile, kind: 'new', after: file() }));
    assert.doesNotMatch(shown, /\$\(|\]\(|\u202e/);
    const bytes = Buffer.from([0x66, 0xff]).toString('latin1') as BytePath;
    assert.equal(row({ path: bytes, kind: 'new', after: file() }).label, 'f\ufffd');
  });

  it('describes a side whose content is not shown', () => {
    const text = (entry: Entry | undefined): string => sideText(entry, formatMessage);
    assert.equal(text(undefined), '');
    assert.match(text(file({ isBinary: true })), /^File of 5 bytes\nSHA-256 a+\npermissions 644\n$/);
    assert.equal(text({ kind: 'link', target: fromText('/etc/passwd') }), 'Symbolic link to /etc/passwd\n');
  });

  it('says in a word why a content is not shown', () => {
    const word = (entry: Entry, change: Omit<Change, 'path'>): string =>
      formatMessage(standInWord(entry, { path: fromText('x'), ...change }));
    const binary = file({ isBinary: true });
    assert.equal(word(binary, { kind: 'new', after: binary }), 'binary');
    // the side that is text is not shown either
    assert.equal(word(file(), { kind: 'changed', before: file(), after: binary }), 'binary');
    const large: Entry = { kind: 'file', mode: 0o644, size: 5, stamp: '', notKept: 'large' };
    assert.equal(word(large, { kind: 'gone', before: large }), 'large');
    assert.equal(word(file(), { kind: 'mode', before: file(), after: file() }), 'permissions');
    assert.equal(word({ kind: 'link', target: fromText('t') }, { kind: 'gone' }), 'symbolic link');
    assert.equal(word({ kind: 'folder', mode: 0o755 }, { kind: 'new' }), 'folder');
    assert.equal(word({ kind: 'other' }, { kind: 'new' }), 'special file');
    assert.equal(word(file(), { kind: 'gone', before: file() }), 'content not shown');
  });

  it('looks different when a file that is to be kept changes once more', () => {
    const change = (after: Entry): Change => ({
      path: fromText('x'),
      kind: 'changed',
      before: file(),
      after,
    });
    const kept = stateOf(change(file({ stamp: '1 5 2 2' })));
    assert.equal(stateOf(change(file({ stamp: '1 5 3 3' }))), kept);
    assert.notEqual(stateOf(change(file({ sha256: 'b'.repeat(64) }))), kept);
    assert.notEqual(stateOf(change(file({ mode: 0o755 }))), kept);
  });
});
