import assert from 'node:assert/strict';
import { type ChatMessage, pickStep, type Scenario } from '../../../scripts/demoModel/scenario';

const scenario: Scenario = {
  models: ['m'],
  title: 'A title',
  rules: [
    {
      match: '^write (\\S+)',
      steps: [
        { tools: [{ name: 'write', arguments: { filePath: '${cwd}/$1', lines: ['$1'] } }] },
        { text: 'written', ifResult: { match: 'denied', step: { text: 'not written: ${result}' } } },
      ],
    },
  ],
  otherwise: [{ text: 'you said ${user}, ${unknown}' }],
};
const system: ChatMessage = { role: 'system', content: '<env>\n  Working directory: /a folder/b\n</env>' };
const user = (content: unknown): ChatMessage => ({ role: 'user', content });

describe('pickStep', () => {
  it('takes the first rule that matches and fills its places', () => {
    const { rule, turn, step } = pickStep(scenario, [system, user('write x.txt')]);
    assert.equal(rule, '^write (\\S+)');
    assert.equal(turn, 0);
    assert.deepEqual(step.tools?.[0]?.arguments, { filePath: '/a folder/b/x.txt', lines: ['x.txt'] });
  });

  it('sees through the quotes of the command line and parts of a message', () => {
    const parts = [{ type: 'text', text: '"write y"' }];
    assert.equal(pickStep(scenario, [user(parts)]).step.tools?.[0]?.name, 'write');
  });

  it('goes on by turn, repeats the last step, and begins anew with the next user message', () => {
    const assistant: ChatMessage = { role: 'assistant', content: '' };
    const turns = [user('write x'), assistant, assistant, assistant];
    assert.equal(pickStep(scenario, turns).step.text, 'written');
    assert.equal(pickStep(scenario, [...turns, user('hello')]).turn, 0);
  });

  it('answers by the newest tool result, and can repeat it', () => {
    const messages = [user('write x'), { role: 'assistant' }, { role: 'tool', content: 'permission DENIED' }];
    assert.equal(pickStep(scenario, messages).step.text, 'not written: permission DENIED');
  });

  it('answers what no rule knows, and leaves places that it does not know', () => {
    assert.equal(pickStep(scenario, [user('hello')]).step.text, 'you said hello, ${unknown}');
  });

  it('gives the title to a title generator', () => {
    const { rule, step } = pickStep(scenario, [
      { role: 'system', content: 'You are a title generator.' },
      user('write x'),
    ]);
    assert.equal(rule, 'title');
    assert.equal(step.text, 'A title');
  });
});
