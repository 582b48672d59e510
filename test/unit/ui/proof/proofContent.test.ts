import assert from 'node:assert/strict';
import { knownLimit, notHeld } from '../../../../src/probes/probe';
import { proofDocument } from '../../../../src/probes/result';
import { formatMessage, message } from '../../../../src/sandbox/message';
import { proofContent, proofSummary, type ProofRun } from '../../../../src/ui/proof/proofContent';
import { reportMarkdown } from '../../../../src/ui/report/reportText';
import { judgeAll, seenOfBad, seenOfGood } from '../../probes/support';

function runOf(said: string, isGood: boolean): ProofRun {
  const judged = judgeAll(isGood ? seenOfGood() : seenOfBad()).map((one) => ({ ...one, said }));
  const description = { argv: ['apptainer'], versions: { node: 'v20' }, imageDigest: 'ab' };
  const document = proofDocument('ours', description, judged, 0);
  return { judged, document, time: 0, folder: '/home/me/[x](command:y)', image: '/i.sif' };
}

describe('the report of a proof', () => {
  it('has a table for each group with a title over each column, and a word for each result', () => {
    const blocks = proofContent(runOf('ENOENT', true), formatMessage);
    const tables = blocks.filter((block) => block.kind === 'table');
    assert.equal(tables.length, 10);
    for (const { titles, rows } of tables) {
      assert.equal(titles.length, 4);
      assert.ok(rows.every((row) => row.length === 4 && row[1]?.text === 'held'));
    }
  });

  it('says at its top how many held, in words and not by a colour alone', () => {
    const [, summary] = proofContent(runOf('', false), formatMessage);
    assert.ok(summary?.kind === 'paragraph');
    assert.match(summary.text, /^0\/\d+ held/);
    assert.equal(summary.tone, 'bad');
  });

  it('alarms nobody for known limits alone, and says that they are some', () => {
    const run = runOf('', true);
    const [first, second, ...others] = run.judged;
    assert.ok(first && second);
    const limited = { ...first, judgement: knownLimit(message('no limit')) };
    const summaryOf = (judged: ProofRun['judged']) => {
      const summary = proofContent({ ...run, judged }, formatMessage)[1];
      assert.ok(summary?.kind === 'paragraph');
      return summary;
    };
    const known = summaryOf([limited, second, ...others]);
    assert.equal(known.tone, 'warning');
    assert.match(known.text, /known limits/);
    const worse = summaryOf([limited, { ...second, judgement: notHeld(message('it was read')) }, ...others]);
    assert.equal(worse.tone, 'bad');
    const summary = (judged: ProofRun['judged']): string => formatMessage(proofSummary(judged));
    assert.match(summary(run.judged), /^All \d+ attempts to get out failed\.$/);
    assert.match(summary([limited, second, ...others]), /failed\. The rest are known limits/);
    assert.match(
      summary([{ ...first, judgement: notHeld(message('read')) }, ...others]),
      /^Not all attempts/,
    );
    assert.doesNotMatch(worse.text, /known limits/);
  });

  it('says how many could not be judged on this computer', () => {
    const run = runOf('', true);
    const [first, ...others] = run.judged;
    assert.ok(first);
    const skipped = {
      ...first,
      judgement: { result: 'notApplicable', evidence: message('none here') } as const,
    };
    const [, summary] = proofContent({ ...run, judged: [skipped, ...others] }, formatMessage);
    assert.ok(summary?.kind === 'paragraph');
    assert.match(summary.text, / held, [^.]+\. Not applicable on this computer: 1\.$/);
  });

  it('shows what a probe says as plain text, in the page and in Markdown', () => {
    const run = runOf('[x](command:y) <b>\n| \u202e a | ![i](http://h/)', true);
    const blocks = proofContent(run, formatMessage);
    assert.ok(!JSON.stringify(blocks).includes('\u202e'));
    const markdown = reportMarkdown(blocks);
    assert.doesNotMatch(markdown, /(?<!\\)\[x(?<!\\)\]\(|<b>|!\[i\]/);
  });

  it('shows hostile names in what the host saw as plain text, and cuts what is long', () => {
    const name = `/w/\u202e[x](command:y) ${'\n# All held\n'.repeat(500)}`;
    const run = runOf('said '.repeat(2000), true);
    const judged = run.judged.map((one) => ({ ...one, judgement: notHeld(message('It was: {0}', name)) }));
    const blocks = proofContent({ ...run, judged, folder: name }, formatMessage);
    const texts = blocks.flatMap((block) => (block.kind === 'table' ? block.rows.flat() : []));
    assert.ok(texts.every(({ text }) => text.length < 700 && !/[\u202e\n]|\]\(/.test(text)));
    const lists = blocks.flatMap((block) => (block.kind === 'list' ? block.items : []));
    assert.ok(lists.every((text) => !/\u202e|\]\(/.test(text)));
    assert.doesNotMatch(reportMarkdown(blocks), /^# All/m);
  });

  it('says at its top why what did not hold did not', () => {
    const blocks = proofContent(runOf('', false), formatMessage);
    const [, open] = blocks.filter((block) => block.kind === 'list');
    assert.ok(open?.items.every((item) => /^.+: .{10,}/s.test(item)));
  });

  it('is exported with digest, command line, versions and the words of the interface', () => {
    const { document } = runOf('', true);
    assert.equal(document.imageDigest, 'ab');
    assert.deepEqual(document.summary, { held: document.probes.length, judged: document.probes.length });
    assert.ok(document.probes.every(({ result, evidence }) => result === 'held' && evidence !== ''));
  });
});
