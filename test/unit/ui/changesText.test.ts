import assert from 'node:assert/strict';
import { formatMessage } from '../../../src/sandbox/message';
import { changesText, type FolderChanges } from '../../../src/ui/changesText';

const textOf = (changes: Partial<FolderChanges>): string =>
  changesText({ workspace: '/data/project', changes: [], truncated: false, ...changes }, formatMessage);

describe('the text about changed files', () => {
  it('lists one file a line', () => {
    const changes = [
      { path: 'a.py', change: 'new' },
      { path: 'b/c', change: 'changed' },
    ] as const;
    assert.equal(textOf({ changes }), 'Changed files in /data/project\n\nnew      a.py\nchanged  b/c\n');
  });

  it('lets no name make a line or an escape of its own', () => {
    const changes = [{ path: 'a\nnew  /etc/passwd\u001b[2J\u202e', change: 'new' }] as const;
    assert.equal(textOf({ changes }).split('\n')[2], 'new  a\ufffdnew  /etc/passwd\ufffd[2J\ufffd');
  });

  it('says when there is nothing, and when not all was looked at', () => {
    assert.match(textOf({}), /No file was changed/);
    assert.match(textOf({ truncated: true }), /too many files/);
  });

  it('ends somewhere', () => {
    const changes = Array.from({ length: 6000 }, (_, index) => ({
      path: `f${index}`,
      change: 'gone' as const,
    }));
    assert.match(textOf({ changes }), /… and 1000 more/);
  });
});
