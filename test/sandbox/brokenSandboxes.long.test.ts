import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetParts } from '../../scripts/probes/targets';
import { probes } from '../../src/probes/probes';
import { details, isOpen, notHeld, runOn } from './support/battery';
import { breakages } from './support/breakages';
import { withLyingProbes } from './support/lyingProbes';
import { targetParts, UnverifiedTarget } from './support/unverifiedTarget';

describe('the escape battery in a sandbox that nobody verifies', () => {
  let whole: string[] = [];

  before(async () => {
    whole = notHeld(await runOn(new UnverifiedTarget()));
  });

  it('sees that nothing filters what reaches the terminal, and nobody looks after /tmp or the window', () => {
    const news = whole.filter((id) => !isOpen(id) && !id.startsWith('selfDowngrade.'));
    const sequences = [
      'clipboard',
      'clipboardRead',
      'title',
      'link',
      'report',
      'titleReport',
      'editor',
      'image',
    ];
    assert.deepEqual(news, [
      ...sequences.map((name) => `terminal.${name}`),
      ...['limits.temporary', 'limits.flood'],
    ]);
  });

  for (const { how, breakage, seenBy, maybeSeenBy = [] } of breakages) {
    it(`fails ${how} exactly where it should`, async () => {
      const judged = await runOn(new UnverifiedTarget(breakage));
      const news = notHeld(judged).filter((id) => !whole.includes(id) && !maybeSeenBy.includes(id));
      const missed = seenBy.filter((id) => !news.includes(id));
      assert.deepEqual(news.sort(), [...seenBy].sort(), details(judged, [...news, ...missed]));
    });
  }
});

describe('the escape battery in a broken sandbox whose image tries nothing and says that all was refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lies-'));
  let parts: TargetParts;

  before(() => {
    const honest = targetParts();
    parts = { ...honest, bundles: withLyingProbes(honest.bundles, folder) };
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const { how, breakage, seenBy, hiddenFromHost = [] } of breakages) {
    it(`fails all the same ${how}`, async () => {
      const judged = await runOn(new UnverifiedTarget(breakage, parts));
      const untold = probes.filter(({ leavesNoTrace }) => leavesNoTrace).map(({ id }) => id);
      const expected = seenBy.filter((id) => ![...untold, ...hiddenFromHost].includes(id));
      const believed = expected.filter((id) => !notHeld(judged).includes(id));
      assert.deepEqual(believed, [], details(judged, believed));
    });
  }
});
