import assert from 'node:assert/strict';
import { escapeMarkdown, plainText } from '../../../src/ui/plainText';

describe('plainText', () => {
  it('leaves an ordinary path alone', () => {
    assert.equal(plainText('/home/ada/Muon study (2), naïve 日本'), '/home/ada/Muon study (2), naïve 日本');
  });

  it('breaks links', () => {
    // the pattern by which VS Code finds links in a notification
    const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)/i;
    const name = 'see [this](command:workbench.action.quit) and [that](https://example.org)';
    assert.match(name, link);
    assert.doesNotMatch(plainText(name), link);
  });

  it('breaks icons', () => {
    assert.doesNotMatch(plainText('$(shield) isolated'), /\$\(/);
  });

  it('replaces control, bidirectional and invisible characters', () => {
    assert.equal(plainText('a\nb\x1b[31mc\u202ed\u200be\u2028f'), 'a\ufffdb\ufffd[31mc\ufffdd\ufffde\ufffdf');
  });
});

describe('escapeMarkdown', () => {
  it('takes their meaning from all characters that have one', () => {
    assert.equal(
      escapeMarkdown('[x](command:y) | <b> `c` *d* _e_ &amp; !f \\g $h$'),
      '\\[x\\]\\(command\\:y\\) \\| \\<b\\> \\`c\\` \\*d\\* \\_e\\_ \\&amp; \\!f \\\\g \\$h\\$',
    );
  });

  it('lets no address become a link by itself', () => {
    assert.equal(escapeMarkdown('see https://a.b, WWW.a.b, a@b.c'), 'see https\\://a.b, WWW\\.a.b, a\\@b.c');
  });

  it('lets no text become a list or a heading by how it begins', () => {
    assert.deepEqual(['- a', '+ a', '1. a', '    12) a', '===', '---', '# a'].map(escapeMarkdown), [
      '\\- a',
      '\\+ a',
      '1\\. a',
      '12\\) a',
      '\\===',
      '\\---',
      '\\# a',
    ]);
  });

  it('keeps ordinary text readable, and no line break', () => {
    assert.equal(
      escapeMarkdown('Grüße 日本, 8:30\n# /data/a-b.py'),
      'Grüße 日本, 8:30\ufffd\\# /data/a-b.py',
    );
  });
});
