import assert from 'node:assert/strict';
import { formatMessage } from '../../../../src/sandbox/message';
import type { SandboxKind } from '../../../../src/sandbox/specification';
import type { SandboxEnd } from '../../../../src/supervisor/protocol';
import { type RunFacts, summaryText } from '../../../../src/ui/sandboxes/runSummaryText';

const nothing: RunFacts = { files: 0, findings: 0, denied: 0 };

function textOf(
  facts: Partial<RunFacts>,
  kind: SandboxKind = 'agent',
  end: SandboxEnd = { reason: 'stopped' },
) {
  const text = summaryText(kind, end, { ...nothing, ...facts }, formatMessage);
  return text && formatMessage(text);
}

describe('what is told when a sandbox has ended', () => {
  it('is how many files it changed, what was guarded, and what it could not reach', () => {
    assert.equal(
      textOf({ files: 3, denied: 2 }),
      'The sandbox has ended. 3 files changed, 2 denied network attempts.',
    );
    assert.equal(
      textOf({ files: 1, findings: 1, denied: 1 }),
      'The sandbox has ended. 1 file changed, 1 finding, 1 denied network attempt.',
    );
    assert.equal(textOf({ files: undefined, findings: 4 }), 'The sandbox has ended. 4 findings.');
  });

  it('is nothing when there was nothing', () => {
    assert.equal(textOf({}), undefined);
    assert.equal(textOf({ files: undefined }), undefined);
  });

  it('is the outcome of a task in any case', () => {
    const end = { reason: 'exited', exitCode: 0 } as const;
    assert.equal(textOf({}, 'task', end), 'The task has ended with exit code 0.');
    assert.equal(textOf({ files: 2 }, 'task', end), 'The task has ended with exit code 0. 2 files changed.');
    assert.equal(textOf({}, 'task'), 'The sandbox was stopped.');
  });

  it('leaves it to others to tell of a bad end', () => {
    assert.equal(textOf({}, 'task', { reason: 'broken' }), undefined);
    assert.equal(
      textOf({ files: 2 }, 'task', { reason: 'broken' }),
      'The sandbox has ended. 2 files changed.',
    );
  });
});
