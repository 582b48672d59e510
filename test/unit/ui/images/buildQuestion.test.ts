import assert from 'node:assert/strict';
import { readDefinition } from '../../../../src/apptainer/definitionFile';
import { formatMessage } from '../../../../src/sandbox/message';
import { type AskedDefinition, buildQuestion } from '../../../../src/ui/images/buildQuestion';

function asked(text: string, more: Partial<AskedDefinition> = {}): { text: string; detail: string } {
  const facts = readDefinition(text);
  const question = buildQuestion({ path: '/w/a.def', facts, isWritable: false, writableBases: [], ...more });
  return {
    text: formatMessage(question.text),
    detail: question.detail.map(formatMessage).join('\n'),
  };
}

describe('the question before a build', () => {
  const local = 'Bootstrap: localimage\nFrom: /w/base.sif\n%files\n  /home/me/.ssh /keys\n';

  it('promises nothing about the home folder', () => {
    const ours = buildQuestion();
    const texts = [ours.text, ...ours.detail].map(formatMessage).join('\n');
    assert.match(texts, /outside of every sandbox/);
    assert.doesNotMatch(texts + asked(local).text + asked(local).detail, /home folder/);
  });

  it('says what is copied, what it begins with, and what of that an agent can change', () => {
    const { detail } = asked(local, { writableBases: ['/w/base.sif'] });
    assert.match(detail, /copies from this computer into the image: \/home\/me\/\.ssh \/keys/);
    assert.match(detail, /begins with: localimage \/w\/base\.sif/);
    assert.match(detail, /agent can have changed.*\/w\/base\.sif/);
    assert.doesNotMatch(asked(local).detail, /agent/);
  });

  it('says that an agent may have written the file', () => {
    assert.match(
      asked(local, { isWritable: true }).text,
      /\/w\/a\.def is in a folder.*agent may have written/,
    );
    assert.doesNotMatch(asked(local).text, /agent/);
  });

  it('stays short, and says how much more there is', () => {
    const files = Array.from({ length: 50 }, (_, index) => `/f${index} ${'x'.repeat(500)}`).join('\n');
    const { detail } = asked(`Bootstrap: docker\nFrom: a\n%files\n${files}\n`);
    assert(detail.length < 3000, String(detail.length));
    assert.match(detail, /\+38$/);
  });
});
