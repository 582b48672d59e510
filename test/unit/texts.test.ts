import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { bundleOf, collectTexts } from '../../scripts/texts';
import { projectFile } from '../support/projectFile';

describe('texts for people', () => {
  const { texts, unreadable } = collectTexts(projectFile('src'));

  it('are literals, so that they can be translated', () => {
    assert.deepEqual(unreadable, []);
  });

  it('are all in l10n/bundle.l10n.json, and nothing else is (if not: npm run texts)', () => {
    assert.equal(readFileSync(projectFile('l10n/bundle.l10n.json'), 'utf8'), bundleOf(texts));
  });

  it('name their places 0, 1 and so on', () => {
    for (const text of texts) {
      const places = [...text.matchAll(/\{(\d+)\}/g)].map(([, place]) => Number(place));
      const expected = Array.from({ length: new Set(places).size }, (_, index) => index);
      assert.deepEqual([...new Set(places)].sort(), expected, text);
    }
  });
});
