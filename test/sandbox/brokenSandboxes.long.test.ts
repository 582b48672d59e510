import assert from 'node:assert/strict';
import { details, isOpen, notHeld, runOn } from './support/battery';
import { breakages } from './support/breakages';
import { UnverifiedTarget } from './support/unverifiedTarget';

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
