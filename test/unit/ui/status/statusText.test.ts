import assert from 'node:assert/strict';
import { formatMessage, message } from '../../../../src/sandbox/message';
import type { SandboxStatus } from '../../../../src/supervisor/protocol';
import { proofMessage } from '../../../../src/ui/proof/proofMemory';
import type { IndicatorInput } from '../../../../src/ui/status/indicator';
import { indicatorFor, sandboxState } from '../../../../src/ui/status/statusText';
import { summary, verdictOf } from '../../../support/fakeConnection';

const verdict = verdictOf();
const now = verdict.time + 1000;

function indicator(
  input: Partial<IndicatorInput>,
  ...statuses: SandboxStatus[]
): ReturnType<typeof indicatorFor> {
  const sandboxes = statuses.map((status) => ({ summary, status }));
  return indicatorFor({ sandboxes, starting: 0, now, ...input }, formatMessage);
}

describe('the tooltip', () => {
  it('says of the last proof how it came out, or that nothing is proven', () => {
    const image = { path: '/i.sif', identity: { device: '1', inode: '2', size: '3', changedTime: '4' } };
    const proof = { held: 62, judged: 62, time: now, image };
    const said = (images: string[], time: number): string => {
      const shown = proofMessage(proof, images, image.identity, time);
      return indicator({ proof: shown }, { phase: 'running', verdict }).tooltip;
    };
    assert.match(said(['/i.sif'], now), /^Proof: 62\/62 held, /m);
    assert.match(said(['/i.sif'], now + 24 * 60 * 60_000 + 1), /^Proof: not proven with this image/m);
    assert.match(said(['/other.sif'], now), /^Proof: not proven with this image/m);
  });
});

describe('sandboxState', () => {
  const cases: readonly [string, SandboxStatus, number, ReturnType<typeof sandboxState>][] = [
    [
      'a restricted network',
      { phase: 'running', verdict: verdictOf({ network: 'restricted' }) },
      now,
      'isolated',
    ],
    ['no network', { phase: 'running', verdict }, now, 'isolatedNoNetwork'],
    [
      'an open network',
      { phase: 'running', verdict: verdictOf({ network: 'open' }) },
      now,
      'isolatedNetworkOpen',
    ],
    ['a finding', { phase: 'running', verdict: verdictOf({ state: 'degraded' }) }, now, 'degraded'],
    ['a broken fact', { phase: 'running', verdict: verdictOf({ state: 'broken' }) }, now, 'broken'],
    [
      'a broken fact, later',
      { phase: 'running', verdict: verdictOf({ state: 'broken' }) },
      now + 60_000,
      'broken',
    ],
    [
      'a sandbox that was ended for it',
      { phase: 'ended', verdict, end: { reason: 'broken' } },
      now,
      'broken',
    ],
    ['a sandbox that was refused', { phase: 'ended', end: { reason: 'refused' } }, now, 'broken'],
    ['a start', { phase: 'starting' }, now, 'starting'],
    ['a verified start whose gate is not open', { phase: 'starting', verdict }, now, 'starting'],
    ['a verdict of 5 s', { phase: 'running', verdict }, verdict.time + 5000, 'isolatedNoNetwork'],
    ['a verdict of more than 5 s', { phase: 'running', verdict }, verdict.time + 5001, 'notVerified'],
    ['no verdict', { phase: 'running' }, now, 'notVerified'],
  ];
  for (const [name, status, at, expected] of cases) {
    it(`is ${expected} for ${name}`, () => {
      assert.equal(sandboxState(status, at), expected);
    });
  }
});

describe('indicatorFor', () => {
  it('counts the findings that wait for an answer', () => {
    assert.equal(indicator({ findings: 1 }).text, 'Agent: ready, 1 finding');
    const running = indicator({ findings: 2 }, { phase: 'running', verdict });
    assert.equal(running.text, 'Agent: isolated, no network, 2 findings');
    assert.match(
      running.tooltip,
      /^While a sandbox ran, something was made or changed[^]*\nClick to see what that is\.$/,
    );
  });

  it('is ready when nothing runs, and unavailable with an obstacle, which it says', () => {
    assert.equal(indicator({}).text, 'Agent: ready');
    const obstructed = indicator({ obstacle: message('No folder is open.') });
    assert.equal(obstructed.text, 'Agent: unavailable');
    assert.equal(obstructed.tooltip, 'No folder is open.');
    assert.equal(indicator({}).tooltip, 'No sandbox is running.\nClick to start the sandboxed agent.');
    const setup = indicator({ obstacle: message('There is no Apptainer.'), isSetupObstacle: true });
    assert.equal(setup.tooltip, 'There is no Apptainer.\nClick to see what is missing.');
  });

  it('shows a sandbox whatever stands in the way of another', () => {
    assert.equal(
      indicator({ obstacle: message('Restricted') }, { phase: 'running', verdict }).text,
      'Agent: isolated, no network',
    );
  });

  it('shows a start that has no supervisor yet', () => {
    assert.equal(indicator({ starting: 1 }).text, 'Agent: starting');
  });

  it('shows the worst of several', () => {
    const isolated: SandboxStatus = { phase: 'running', verdict: verdictOf({ network: 'restricted' }) };
    const closed: SandboxStatus = { phase: 'running', verdict };
    const open: SandboxStatus = { phase: 'running', verdict: verdictOf({ network: 'open' }) };
    const stale: SandboxStatus = { phase: 'running', verdict: verdictOf({ time: 0 }) };
    const degraded: SandboxStatus = { phase: 'running', verdict: verdictOf({ state: 'degraded' }) };
    const broken: SandboxStatus = { phase: 'ended', end: { reason: 'broken' } };
    assert.equal(indicator({}, closed).text, 'Agent: isolated, no network');
    assert.equal(indicator({}, closed, isolated).text, 'Agent: isolated');
    assert.equal(indicator({}, closed, isolated, open).text, 'Agent: isolated, network open');
    assert.equal(indicator({ starting: 1 }, isolated, open).text, 'Agent: starting');
    assert.equal(indicator({ starting: 1 }, isolated, stale).text, 'Agent: not verified');
    assert.equal(indicator({}, stale, degraded, isolated).text, 'Agent: sandbox degraded');
    assert.equal(indicator({}, degraded, broken).text, 'Agent: sandbox broken');
  });

  it('says in a few lines what a sandbox is isolated from, what it reaches, and whether that can be undone', () => {
    const undo = { state: 'without' } as const;
    const { tooltip } = indicator({}, { phase: 'running', verdict, undo });
    assert.deepEqual(tooltip.split('\n'), [
      'Sandbox for /data/project, isolated from your other files: verified just now',
      'Network: nothing but its model.',
      'Undo: not in this run.',
      'Click for the report.',
    ]);
  });

  it('says the same at each verdict, for VS Code would close what somebody reads', () => {
    const later = verdictOf({ time: verdict.time + 2000 });
    const first = indicator({}, { phase: 'running', verdict });
    const second = indicator({ now: now + 2000 }, { phase: 'running', verdict: later });
    assert.equal(first.tooltip, second.tooltip);
  });

  it('says less of each where there are several', () => {
    const status: SandboxStatus = { phase: 'running', verdict };
    const { tooltip } = indicator({}, status, status);
    assert.equal(tooltip.split('\n').length, 3);
    assert.doesNotMatch(tooltip, /Network/);
  });

  it('says why nothing can be verified, and what else is to be said', () => {
    const sandbox = {
      summary,
      status: { phase: 'running' } as const,
      problem: message('It does not answer.'),
      notes: [message('{0} leads to {1}.', '/link', '/data/project')],
    };
    const { text, tooltip } = indicatorFor({ sandboxes: [sandbox], starting: 0, now }, formatMessage);
    assert.equal(text, 'Agent: not verified');
    assert.deepEqual(tooltip.split('\n'), [
      'Sandbox for /data/project',
      '/link leads to /data/project.',
      'It does not answer.',
      'Nothing has been verified yet.',
      'Click for the report.',
    ]);
  });

  it('says that a model is unreachable, which one and why, until that is over', () => {
    const limited = {
      providerId: 'lab',
      state: 'limited',
      status: 429,
      until: now + 1000,
      time: now,
    } as const;
    const good = { providerId: 'well', state: 'reachable', time: now } as const;
    const status: SandboxStatus = { phase: 'running', verdict, models: [good, limited] };
    const { text, tooltip } = indicator({}, status);
    assert.equal(text, 'Agent: isolated, no network, model unreachable');
    assert.match(tooltip, /^lab: model unreachable: 429 until \d\d:\d\d:\d\d$/m);
    assert.doesNotMatch(tooltip, /well/);
    assert.equal(indicator({ now: now + 2000 }, status).text, 'Agent: isolated, no network');
    assert.equal(indicator({}, { ...status, models: [good] }).text, 'Agent: isolated, no network');
    assert.doesNotMatch(indicator({}, { ...status, phase: 'ended' }).text, /unreachable/);
  });

  it('marks a fact that does not hold by a sign and a word', () => {
    const lines = [
      { fact: 'seccomp', status: 'broken', detail: message('process {0} runs without a filter', 7) },
    ] as const;
    const { tooltip } = indicator({}, { phase: 'running', verdict: verdictOf({ state: 'broken', lines }) });
    assert.doesNotMatch(tooltip, /isolated/);
    assert.match(tooltip, /^✗ System calls are filtered \(broken\): process 7 runs without a filter$/m);
  });

  it('says once why a sandbox was ended', () => {
    const detail = message('the image is another file');
    const lines = [{ fact: 'image', status: 'broken', detail }] as const;
    const ended = { reason: 'broken', explanation: detail } as const;
    const { tooltip } = indicator(
      {},
      { phase: 'ended', verdict: verdictOf({ state: 'broken', lines }), end: ended },
    );
    assert.equal(tooltip.split('the image is another file').length, 2);
  });

  it('says of an old verdict that it is old', () => {
    const { tooltip } = indicator({ now: now + 60_000 }, { phase: 'running', verdict });
    assert.match(tooltip, /^Last verified at .*, which says nothing about now\.$/m);
  });
});
