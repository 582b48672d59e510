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
  it('turns every character that means something into its number', () => {
    assert.equal(
      escapeMarkdown('[x](command:y) | <b> `c` *d* _e_ &amp; !f \\g'),
      '&#91;x&#93;&#40;command&#58;y&#41; &#124; &#60;b&#62; &#96;c&#96; &#42;d&#42; &#95;e&#95; &#38;amp&#59; &#33;f &#92;g',
    );
  });

  it('keeps letters, digits and spaces, and no line break', () => {
    assert.equal(escapeMarkdown('Grüße 日本 12\n# heading'), 'Grüße 日本 12\ufffd&#35; heading');
  });
});
