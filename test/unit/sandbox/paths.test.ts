import assert from 'node:assert/strict';
import { relative } from 'node:path';
import {
  contains,
  entryTowards,
  isSameOrInside,
  type Place,
  withAncestors,
} from '../../../src/sandbox/paths';

/** A place whose folders the kernel knows by these names, the last one first. */
function place(path: string, ...ancestry: string[]): Place {
  return { path, ancestry };
}

describe('paths', () => {
  it('compares folders, not the begin of texts', () => {
    assert.equal(isSameOrInside('/a', '/a'), true);
    assert.equal(isSameOrInside('/a', '/a/b'), true);
    assert.equal(isSameOrInside('/', '/a'), true);
    assert.equal(isSameOrInside('/a', '/a/..b'), true);
    assert.equal(isSameOrInside('/a', '/ab'), false);
    assert.equal(isSameOrInside('/a/b', '/a'), false);
    assert.equal(isSameOrInside('/a', '/a/../b'), false);
  });

  it('says of every spelling of a path what Node.js says', () => {
    const names = ['', 'a', 'ab', 'b', '.', '..', '...', '..b', '.b', 'a (deleted)'];
    const paths = names.flatMap((one) => names.flatMap((other) => [`/${one}`, `/${one}/${other}`]));
    for (const folder of paths) {
      for (const path of paths) {
        const way = relative(folder, path);
        const expected = way === '' || (way !== '..' && !way.startsWith('../'));
        assert.equal(isSameOrInside(folder, path), expected, `${folder} ${path}`);
      }
    }
  });

  it('names a path and all above it', () => {
    assert.deepEqual(withAncestors('/a/b'), ['/a/b', '/a', '/']);
    assert.deepEqual(withAncestors('/'), ['/']);
  });

  it('knows a folder again under another path', () => {
    const home = place('/home/ada', '1:30', '1:20', '1:2');
    const alias = place('/export/users/ada', '1:30', '1:20', '1:10', '1:2');
    const below = place('/export/users/ada/.ssh/x', '1:50', '1:40', '1:30', '1:20', '1:10', '1:2');
    assert.equal(contains(alias, home), true);
    assert.equal(contains(home, below), true);
    assert.equal(contains(below, home), false);
    assert.equal(entryTowards(home, below), '/export/users/ada/.ssh');
    assert.equal(entryTowards(home, place('/home/ada/a/b')), '/home/ada/a');
    assert.equal(entryTowards(home, home), undefined);
    assert.equal(entryTowards(home, place('/other')), undefined);
  });

  it('does not take one missing folder for another', () => {
    assert.equal(contains(place('/x', ''), place('/y/z', '', '')), false);
    assert.equal(contains(place('/x'), place('/y/z')), false);
  });
});
