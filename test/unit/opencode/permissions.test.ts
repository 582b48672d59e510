import assert from 'node:assert/strict';
import { permissionConfiguration } from '../../../src/opencode/permissions';

describe('permissionConfiguration', () => {
  it('says nothing when the agent needs not ask', () => {
    assert.deepEqual(permissionConfiguration('allow', [{ permission: 'deny' }]), {});
  });

  it('makes the agent ask, and lets the planning one still edit nothing but plans', () => {
    const planning = { plan: { permission: { edit: { '*': 'deny', '.opencode/plans/*.md': 'allow' } } } };
    assert.deepEqual(permissionConfiguration('askEdits', []), {
      permission: { edit: 'ask' },
      agent: planning,
    });
    assert.deepEqual(permissionConfiguration('askAll', [])['permission'], {
      edit: 'ask',
      bash: 'ask',
      webfetch: 'ask',
      websearch: 'ask',
    });
  });

  it('leaves forbidden what the project forbids', () => {
    const rules = (permission: unknown): unknown =>
      permissionConfiguration('askAll', [{ permission }])['permission'];
    assert.deepEqual(rules('deny'), {});
    assert.deepEqual(rules({ '*': 'deny', bash: 'allow' }), { bash: 'ask' });
    assert.deepEqual(rules({ edit: 'deny', bash: { 'git *': 'allow' }, webfetch: 'allow' }), {
      bash: 'ask',
      webfetch: 'ask',
      websearch: 'ask',
    });
  });

  it('gives the agents that the project names the same rules, which would else beat them', () => {
    const { agent } = permissionConfiguration('askEdits', [
      {
        agent: { build: { permission: { edit: 'allow' } }, quiet: { permission: 'deny' }, 'a b': {} },
        mode: { old: {}, plan: { permission: 'allow' } },
      },
    ]);
    const { plan, ...others } = agent as Record<string, { permission: unknown }>;
    assert.deepEqual(plan?.permission, { edit: { '*': 'deny', '.opencode/plans/*.md': 'allow' } });
    assert.deepEqual(others, {
      build: { permission: { edit: 'ask' } },
      quiet: { permission: {} },
      old: { permission: { edit: 'ask' } },
    });
  });
});
