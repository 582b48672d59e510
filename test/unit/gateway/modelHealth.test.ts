import assert from 'node:assert/strict';
import {
  healthOfAnswer,
  healthOfError,
  isTrouble,
  modelHealthMessage,
  saysTheSame,
  silentHealth,
} from '../../../src/gateway/modelHealth';
import type { ModelHealth } from '../../../src/gateway/gateway';
import { Refusal } from '../../../src/gateway/refusal';
import { formatMessage } from '../../../src/sandbox/message';

const now = new Date(2026, 10, 30, 14, 0, 0).getTime();

function told(health: ModelHealth): string | undefined {
  const message = modelHealthMessage(health);
  return message && formatMessage(message);
}

describe('healthOfError', () => {
  const codes: readonly [string, ModelHealth['state'], string][] = [
    ['ECONNREFUSED', 'refused', 'model unreachable: refused'],
    ['ENOTFOUND', 'nameNotFound', 'model unreachable: name not found'],
    ['ENODATA', 'nameNotFound', 'model unreachable: name not found'],
    ['EAI_AGAIN', 'nameNotFound', 'model unreachable: name not found'],
    ...[
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ].map((code): [string, ModelHealth['state'], string] => [
      code,
      'certificate',
      'model unreachable: certificate not valid, or of an authority that is not trusted here',
    ]),
    ['EPROTO', 'failing', 'model unreachable: what answers there is no such server'],
    ['HPE_INVALID_CONSTANT', 'failing', 'model unreachable: what answers there is no such server'],
    ['ECONNRESET', 'silent', 'model unreachable: no connection, or it was lost'],
    ['ETIMEDOUT', 'silent', 'model unreachable: no connection, or it was lost'],
    ['EHOSTUNREACH', 'silent', 'model unreachable: no connection, or it was lost'],
  ];
  for (const [code, state, text] of codes) {
    it(`reads ${code} as ${state}`, () => {
      const health = healthOfError('p', Object.assign(new Error('[x](command:evil)'), { code }), now);
      assert.deepEqual(health, { providerId: 'p', state, time: now });
      assert.equal(told(health), text);
    });
  }

  it('knows the refusals of the way there', () => {
    const state = (refusal: Refusal): string => healthOfError('p', refusal, now).state;
    assert.equal(state(new Refusal('nameNotFound')), 'nameNotFound');
    assert.equal(state(new Refusal('siteProxy')), 'refused');
    assert.equal(state(new Refusal('timedOut')), 'silent');
  });
});

describe('healthOfAnswer', () => {
  const answers: readonly [number, string | undefined, ModelHealth['state'], string | undefined][] = [
    [200, undefined, 'reachable', undefined],
    [404, undefined, 'reachable', undefined],
    [413, undefined, 'reachable', undefined],
    [401, undefined, 'unauthorized', 'model unreachable: 401 (the key is not accepted)'],
    [403, undefined, 'unauthorized', 'model unreachable: 403 (the key is not accepted)'],
    [302, undefined, 'failing', 'model unreachable: redirect 302, which is not followed'],
    [503, undefined, 'failing', 'model unreachable: server error 503'],
    [429, undefined, 'limited', 'model unreachable: 429 (too many requests)'],
    [429, '90', 'limited', 'model unreachable: 429 until 14:01:30'],
    [429, new Date(now + 3_600_000).toUTCString(), 'limited', 'model unreachable: 429 until 15:00:00'],
    [429, String(12 * 3600), 'limited', 'model unreachable: 429 until 2026-12-01 02:00:00'],
    ...['-5', '1e3', 'soon', '9'.repeat(30), 'Mon, 31 Foo 2026 10:00:00 GMT', '31536000'].map(
      (nonsense): [number, string, ModelHealth['state'], string] => [
        429,
        nonsense,
        'limited',
        'model unreachable: 429 (too many requests)',
      ],
    ),
  ];
  for (const [status, retryAfter, state, text] of answers) {
    it(`reads ${status}${retryAfter === undefined ? '' : ` with “${retryAfter}”`} as ${state}`, () => {
      const health = healthOfAnswer('p', status, retryAfter, now);
      assert.equal(health.state, state);
      assert.equal(health.status, status);
      assert.equal(told(health), text);
    });
  }
});

describe('isTrouble', () => {
  it('is over when the time of a limit has passed', () => {
    const limited = healthOfAnswer('p', 429, '90', now);
    assert.ok(isTrouble(limited, now + 89_999));
    assert.ok(!isTrouble(limited, now + 90_000));
    assert.ok(isTrouble(healthOfAnswer('p', 429, undefined, now), now + 1e9));
  });

  it('is what a person is told of', () => {
    const states: ModelHealth['state'][] = [
      ...(['unknown', 'reachable', 'refused', 'nameNotFound', 'certificate'] as const),
      ...(['unauthorized', 'limited', 'failing', 'silent'] as const),
    ];
    for (const state of states) {
      const health: ModelHealth = { providerId: 'p', state, time: now };
      assert.equal(isTrouble(health, now), told(health) !== undefined, state);
    }
  });
});

describe('modelHealthMessage', () => {
  it('tells how long nothing came', () => {
    assert.equal(told(silentHealth('p', 60, now)), 'model unreachable: no answer for 60 s');
  });

  it('tells nothing of what is not known', () => {
    assert.equal(told({ providerId: 'p', state: 'unknown', time: now }), undefined);
  });
});

describe('saysTheSame', () => {
  it('leaves out when, and which good answer it was', () => {
    assert.ok(
      saysTheSame(healthOfAnswer('p', 200, undefined, now), healthOfAnswer('p', 404, undefined, now + 1)),
    );
  });

  it('sees another state, status, time and length of silence', () => {
    const failing = healthOfAnswer('p', 503, undefined, now);
    assert.ok(!saysTheSame(failing, healthOfAnswer('p', 500, undefined, now)));
    assert.ok(!saysTheSame(failing, healthOfAnswer('p', 200, undefined, now)));
    assert.ok(!saysTheSame(silentHealth('p', 30, now), silentHealth('p', 60, now)));
    assert.ok(!saysTheSame(healthOfAnswer('p', 429, '1', now), healthOfAnswer('p', 429, '2', now)));
  });
});
