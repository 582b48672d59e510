import assert from 'node:assert/strict';
import { formatMessage, message } from '../../../src/sandbox/message';
import { isolationReport } from '../../../src/ui/reportText';
import { summary, verdictOf } from '../../support/fakeConnection';

const verdict = verdictOf();
const now = verdict.time + 1000;

describe('isolationReport', () => {
  it('says that nothing runs', () => {
    assert.equal(
      isolationReport([], now, formatMessage),
      '# Isolation report\n\nNo sandbox is running&#46;\n',
    );
  });

  it('has a line for each fact and each visible path', () => {
    const report = isolationReport([{ summary, status: { phase: 'running', verdict } }], now, formatMessage);
    const rows = report.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
    assert.deepEqual(rows, [
      '| Fact | State | What was seen |',
      '| No privileges &#40;capabilities&#41; | holds | none&#44; in any set |',
      '| Network | holds | own net namespace with nothing but an empty loopback |',
      '| On this computer | In the sandbox | Access |',
      '| &#47;data&#47;project | &#47;data&#47;project | read and write |',
    ]);
    assert.match(report, /^\*\*isolated\*\*$/m);
    assert.match(report, /^Each line is verified from the host’s kernel facts every two seconds/m);
  });

  it('stays the same while the facts do', () => {
    const reports = [0, 2000, 4000].map((later) =>
      isolationReport(
        [{ summary, status: { phase: 'running', verdict: verdictOf({ time: verdict.time + later }) } }],
        now + later,
        formatMessage,
      ),
    );
    assert.equal(new Set(reports).size, 1);
  });

  it('says why nothing can be verified, what else is to be said, and no image that it does not know', () => {
    const report = isolationReport(
      [
        {
          summary: { ...summary, image: '' },
          status: { phase: 'running' },
          problem: message('It does not answer'),
          notes: [message('A link was followed')],
        },
      ],
      now,
      formatMessage,
    );
    assert.match(report, /^- It does not answer$/m);
    assert.match(report, /^- A link was followed$/m);
    assert.doesNotMatch(report, /Image:/);
  });

  it('says that an old verdict is not verified', () => {
    const report = isolationReport(
      [{ summary, status: { phase: 'running', verdict } }],
      now + 60_000,
      formatMessage,
    );
    assert.match(report, /^\*\*not verified\*\*$/m);
    assert.match(report, /^Last verified from the host’s kernel facts at /m);
  });

  it('lets no name become Markdown', () => {
    const hostile = '/data/[x](command:evil) | <img src=x> `y`\n# z';
    const lines = [
      { fact: 'descriptors', status: 'broken', detail: message('process {0} holds {1}', 7, hostile) },
    ] as const;
    const report = isolationReport(
      [
        {
          summary: { ...summary, workspace: hostile },
          status: {
            phase: 'ended',
            verdict: verdictOf({
              lines,
              visiblePaths: [{ hostPath: hostile, containerPath: hostile, mode: 'readOnly' }],
            }),
            end: { reason: 'broken', explanation: message('{0}', hostile) },
          },
        },
      ],
      now,
      formatMessage,
    );
    assert.doesNotMatch(report, /[[\]`<>]/);
    assert.doesNotMatch(report, /^# z/m);
    assert.equal(report.split('\n').filter((line) => /^\| &#47;data/.test(line)).length, 1);
  });
});
