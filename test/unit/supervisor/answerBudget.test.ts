import assert from 'node:assert/strict';
import { AnswerBudget } from '../../../src/supervisor/answerBudget';

describe('AnswerBudget', () => {
  it('allows what programs ask at their start, not a flood, and again later', () => {
    const budget = new AnswerBudget();
    assert.ok(Array.from({ length: 100 }, () => budget.allows(30, 20_000)).every(Boolean));
    const flood = Array.from({ length: 100_000 }, () => budget.allows(30, 21_000)).filter(Boolean);
    assert.ok(flood.length < 1000, `${flood.length}`);
    assert.equal(budget.allows(30, 29_999), false);
    assert.equal(budget.allows(30, 30_000), true);
  });
});
