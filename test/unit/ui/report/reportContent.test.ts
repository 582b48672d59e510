import assert from 'node:assert/strict';
import { formatMessage, message } from '../../../../src/sandbox/message';
import type { ReportBlock } from '../../../../src/ui/report/reportBlock';
import { reportContent } from '../../../../src/ui/report/reportContent';
import type { ShownSandbox } from '../../../../src/ui/status/indicator';
import { summary, verdictOf } from '../../../support/fakeConnection';

const verdict = verdictOf();
const now = verdict.time + 1000;
const running: ShownSandbox = { summary, status: { phase: 'running', verdict } };

const contentOf = (sandbox: ShownSandbox, at = now): ReportBlock[] =>
  reportContent([sandbox], at, formatMessage);

/** All rows of all tables, their cells joined. */
function rowsOf(blocks: readonly ReportBlock[]): string[] {
  return blocks
    .flatMap((block) => (block.kind === 'table' ? block.rows : []))
    .map((cells) => cells.map(({ text }) => text).join(' | '));
}

function paragraphsOf(blocks: readonly ReportBlock[]): string[] {
  return blocks.flatMap((block) => (block.kind === 'paragraph' ? [block.text] : []));
}

function itemsOf(blocks: readonly ReportBlock[]): string[] {
  return blocks.flatMap((block) => (block.kind === 'list' ? block.items : []));
}

describe('reportContent', () => {
  it('says that nothing runs', () => {
    assert.deepEqual(paragraphsOf(reportContent([], now, formatMessage)), ['No sandbox is running.']);
  });

  it('has a line for each fact with how it is known, for what was only requested, and for each visible path', () => {
    assert.deepEqual(rowsOf(contentOf(running)), [
      'No privileges (capabilities) | holds | none, in any set | verified from the host, every two seconds',
      'Network | holds | own net namespace with nothing but an empty loopback | verified from the host, every two seconds',
      'What the filter denies | not verified | keyrings, user namespaces, mounts, io_uring, bpf, setuid bits, typing into terminals, VM sockets and more | requested only',
      '/data/project | /data/project | read and write',
    ]);
  });

  it('says which facts were read once, before the gate opened', () => {
    const lines = [{ fact: 'environment', status: 'holds', detail: message('none') }] as const;
    const status = { phase: 'running', verdict: verdictOf({ lines }) } as const;
    assert.equal(
      rowsOf(contentOf({ summary, status }))[0],
      'No variables of the host | holds | none | verified from the host, once, before anything of the agent’s ran',
    );
  });

  it('says what the verdict is, and of when', () => {
    const time = new Date(verdict.time).toLocaleTimeString();
    assert.deepEqual(paragraphsOf(contentOf(running)).slice(1, 3), [
      'isolated, no network',
      `Verified at ${time}, and again every two seconds.`,
    ]);
  });

  it('has first what does not hold', () => {
    const lines = [
      { fact: 'seccomp', status: 'holds', detail: message('a filter') },
      { fact: 'hostPaths', status: 'degraded', detail: message('a folder moved') },
      { fact: 'image', status: 'broken', detail: message('another file') },
    ] as const;
    const status = { phase: 'running', verdict: verdictOf({ lines, state: 'broken' }) } as const;
    const titles = rowsOf(contentOf({ summary, status })).map((row) => row.split(' | ')[1]);
    assert.deepEqual(titles.slice(0, 3), ['broken', 'degraded', 'holds']);
  });

  it('says that an old verdict is not verified', () => {
    const [, headline, age] = paragraphsOf(contentOf(running, now + 60_000));
    assert.equal(headline, 'not verified');
    assert.match(age ?? '', /^Last verified from the host’s kernel facts at .* says nothing about now/);
  });

  it('does not say of a sandbox that has ended that it is verified every two seconds', () => {
    const ended: ShownSandbox = {
      summary,
      status: {
        phase: 'ended',
        verdict: verdictOf({ state: 'broken' }),
        end: { reason: 'broken', explanation: message('It was killed: {0}', 'seccomp') },
      },
    };
    const [, headline, age] = paragraphsOf(contentOf(ended));
    assert.equal(headline, 'broken');
    assert.match(age ?? '', /^Last verified/);
    assert.ok(itemsOf(contentOf(ended)).includes('Ended: It was killed: seccomp'));
  });

  it('says why nothing can be verified, what else is to be said, and no image that it does not know', () => {
    const items = itemsOf(
      contentOf({
        summary: { ...summary, image: '' },
        status: { phase: 'running' },
        problem: message('It does not answer'),
        notes: [message('A link was followed')],
      }),
    );
    assert.ok(items.includes('It does not answer'));
    assert.ok(items.includes('A link was followed'));
    assert.ok(!items.some((item) => item.startsWith('Image:')));
  });
});
