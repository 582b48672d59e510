import assert from 'node:assert/strict';
import { Cancelled } from '../../../../src/sandbox/userError';
import { type ModelAnswer, ModelApprovals } from '../../../../src/ui/models/modelApprovals';

const folder = '/home/anna/project';
const [first, second] = ['http://127.0.0.1:8000/v1', 'https://models.example/v1'] as const;

/** Approvals over a memory, of a user who gives these answers. */
function approvalsUnderTest(
  answers: Readonly<Record<string, ModelAnswer>>,
  { memory = new Map<string, unknown>(), machine = 'laptop' } = {},
): { approvals: ModelApprovals; asked: string[]; memory: Map<string, unknown> } {
  const asked: string[] = [];
  const stored = {
    get: (key: string) => memory.get(key),
    update: (key: string, value: unknown) => Promise.resolve(void memory.set(key, value)),
  } as ConstructorParameters<typeof ModelApprovals>[0];
  const approvals = new ModelApprovals(stored, machine, (baseUrl) => {
    asked.push(baseUrl);
    return Promise.resolve(answers[baseUrl] ?? 'refuse');
  });
  return { approvals, asked, memory };
}

const never = new AbortController().signal;

describe('approvals of models', () => {
  it('are asked for once for each server, and kept', async () => {
    const { approvals, asked } = approvalsUnderTest({ [first]: 'use', [second]: 'use' });
    await approvals.ask(folder, [first, second, first], never);
    await approvals.ask(folder, [first, second], never);
    assert.deepEqual(asked, [first, second]);
    assert.deepEqual(approvals.of(folder), [first, second]);
  });

  it('let a start go on without a server, which is not approved and is asked about again', async () => {
    const { approvals, asked } = approvalsUnderTest({ [first]: 'without', [second]: 'use' });
    await approvals.ask(folder, [first, second], never);
    assert.deepEqual(approvals.of(folder), [second]);
    await approvals.ask(folder, [first, second], never);
    assert.deepEqual(asked, [first, second, first]);
  });

  it('stop a start that is refused', async () => {
    const { approvals } = approvalsUnderTest({ [first]: 'refuse' });
    await assert.rejects(approvals.ask(folder, [first, second], never), Cancelled);
    assert.deepEqual(approvals.of(folder), []);
  });

  it('do not count for a folder with the same path on another machine', async () => {
    const { approvals, memory } = approvalsUnderTest({ [first]: 'use' });
    await approvals.ask(folder, [first], never);
    assert.deepEqual(approvalsUnderTest({}, { memory }).approvals.of(folder), [first]);
    assert.deepEqual(approvalsUnderTest({}, { memory, machine: 'cluster' }).approvals.of(folder), []);
  });
});
