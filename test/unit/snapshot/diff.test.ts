import assert from 'node:assert/strict';
import { type BytePath, fromText } from '../../../src/snapshot/bytePath';
import { countFiles, diffManifests } from '../../../src/snapshot/diff';
import type { Entry, Manifest } from '../../../src/snapshot/manifest';
import { readManifest, writeManifest } from '../../../src/snapshot/manifestText';

/** A file whose content is told by a letter. */
const file = (content: string, more: Partial<Entry & { kind: 'file' }> = {}): Entry => ({
  ...{ kind: 'file', mode: 0o644, size: 5, stamp: `1 5 ${content} 1`, sha256: content.repeat(64) },
  ...more,
});
const folder: Entry = { kind: 'folder', mode: 0o755 };

function manifest(entries: Readonly<Record<string, Entry>>, isTruncated = false): Manifest {
  return {
    ...{ id: '0'.repeat(16), reason: 'start', workspace: '/data/project', device: '1', inode: '2', time: 3 },
    limits: { maximumBytes: 1, maximumFileBytes: 1, respectsIgnoreFiles: true },
    closed: [],
    ignoreFiles: new Map(),
    touched: [],
    isTruncated,
    entries: new Map(Object.entries(entries).map(([path, entry]) => [fromText(path), entry])),
  };
}

function words(before: Manifest, after: Manifest): string[] {
  return diffManifests(before, after).map(({ kind, path, from }) =>
    [kind, path, from ?? ''].join(' ').trim(),
  );
}

describe('what changed between two looks', () => {
  it('is named by path: new, changed, gone, renamed, and permissions', () => {
    const before = manifest({
      same: file('s'),
      edited: file('a'),
      gone: file('g'),
      old: file('m'),
      run: file('r'),
    });
    const after = manifest({
      ...{ same: file('s'), edited: file('b'), new: file('n'), moved: file('m') },
      run: file('r', { mode: 0o755 }),
    });
    assert.deepEqual(words(before, after), [
      'changed edited',
      'gone gone',
      'renamed moved old',
      'new new',
      'mode run',
    ]);
    assert.deepEqual(words(before, before), []);
  });

  it('prefers the same name among files of the same content, and joins each only once', () => {
    const before = manifest({ 'a/one': file('x'), 'a/two': file('x') });
    const after = manifest({ 'b/two': file('x'), 'b/three': file('x'), 'b/four': file('x') });
    assert.deepEqual(
      words(before, after),
      ['new b/four', 'renamed b/three a/one', 'renamed b/two a/two'].sort((one, other) =>
        (one.split(' ')[1] ?? '') < (other.split(' ')[1] ?? '') ? -1 : 1,
      ),
    );
  });

  it('takes no empty file for a renamed one', () => {
    const empty = file('e', { size: 0 });
    assert.deepEqual(words(manifest({ one: empty }), manifest({ other: empty })), ['gone one', 'new other']);
  });

  it('knows files that were not read by inode, size and times', () => {
    const large = { kind: 'file', mode: 0o644, size: 9, stamp: '7 9 1 1', notKept: 'large' } as const;
    assert.deepEqual(words(manifest({ a: large }), manifest({ a: large })), []);
    assert.deepEqual(words(manifest({ a: large }), manifest({ b: { ...large, stamp: '7 9 1 2' } })), [
      'renamed b a',
    ]);
    assert.deepEqual(words(manifest({ a: large }), manifest({ a: { ...large, stamp: '7 9 1 2' } })), [
      'changed a',
    ]);
  });

  it('is told of something that became something else, and of a link with another target', () => {
    const link = (target: string): Entry => ({ kind: 'link', target: fromText(target) });
    const before = manifest({ file: file('f'), link: link('a') });
    assert.deepEqual(words(before, manifest({ file: link('x'), link: link('b') })), [
      'changed file',
      'changed link',
    ]);
  });

  it('names a folder only for itself: empty, or with other permissions', () => {
    const before = manifest({ full: folder, 'full/file': file('a'), empty: folder, open: folder });
    const after = manifest({ new: folder, 'new/empty': folder, open: { kind: 'folder', mode: 0o700 } });
    assert.deepEqual(words(before, after), ['gone empty', 'gone full/file', 'new new/empty', 'mode open']);
    assert.equal(countFiles(diffManifests(before, after)), 1);
  });

  it('says nothing of what lies in a folder that was not looked into', () => {
    const closed: Entry = { kind: 'closed', mode: 0o755 };
    const inside = { sub: folder, 'sub/file': file('a') };
    assert.deepEqual(words(manifest({ sub: closed }), manifest(inside)), []);
    assert.deepEqual(words(manifest(inside), manifest({ sub: { ...closed, mode: 0 } })), ['mode sub']);
  });

  it('says nothing is gone or new when it did not look at all', () => {
    const [whole, part] = [{ a: file('a') }, { b: file('b') }];
    assert.deepEqual(words(manifest(whole), manifest(part, true)), ['new b']);
    assert.deepEqual(words(manifest(whole, true), manifest(part)), ['gone a']);
  });

  it('survives being written and read, whatever the bytes of a name', () => {
    const path = Buffer.from([0x66, 0xff, 0x0a, 0x22, 0xc3]).toString('latin1') as BytePath;
    const whole = manifest({
      ...{ folder, large: { kind: 'file', mode: 0o4755, size: 9, stamp: '7 9 1 1', notKept: 'large' } },
      young: file('y', { isYoung: true, isBinary: true }),
      ...{
        link: { kind: 'link', target: path },
        pipe: { kind: 'other' },
        git: { kind: 'closed', mode: 0o700 },
      },
    });
    const named = { ...whole, entries: new Map([...whole.entries, [path, file('a')] as const]) };
    assert.deepEqual(readManifest(writeManifest(named)), named);
    assert.equal(readManifest(writeManifest(named).replace('"version":1', '"version":2')), undefined);
    assert.equal(readManifest('{'), undefined);
  });
});
