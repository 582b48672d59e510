import assert from 'node:assert/strict';
import type { ReportBlock } from '../../../../src/ui/report/reportBlock';
import { reportMarkdown } from '../../../../src/ui/report/reportText';

describe('reportMarkdown', () => {
  it('writes headings, paragraphs, lists and tables', () => {
    const blocks: ReportBlock[] = [
      { kind: 'heading', level: 2, text: 'Sandboxed Agent' },
      { kind: 'paragraph', text: 'isolated', tone: 'good' },
      { kind: 'paragraph', text: 'Seen now' },
      { kind: 'list', items: ['one', 'two'] },
      { kind: 'table', titles: ['Promise', 'State'], rows: [[{ text: 'Network' }, { text: 'holds' }]] },
    ];
    assert.equal(
      reportMarkdown(blocks),
      '## Sandboxed Agent\n\n**isolated**\n\nSeen now\n\n- one\n- two\n\n' +
        '| Promise | State |\n| --- | --- |\n| Network | holds |\n',
    );
  });

  it('lets no text become Markdown', () => {
    const hostile = '/data/[x](command:evil) | <img src=x> `y`\n# z';
    const report = reportMarkdown([
      { kind: 'heading', level: 1, text: hostile },
      { kind: 'paragraph', text: hostile },
      { kind: 'list', items: [hostile] },
      { kind: 'table', titles: [hostile], rows: [[{ text: hostile }]] },
    ]);
    assert.doesNotMatch(report, /(?<!\\)[[\]`<>]/);
    assert.doesNotMatch(report, /^# z/m);
    // the heading; the paragraph; the item; the head of the table, the line below it and its row; and empty lines
    assert.equal(report.split('\n').length, 10);
  });
});
