import assert from 'node:assert/strict';
import { redact, withoutCredentials } from '../../../src/sandbox/redaction';
import { assertNoSlower } from '../../support/linearWork';

const names = {
  home: '/home/ada',
  user: 'ada',
  host: 'login3',
  folders: ['/home/ada/thesis', '/data/secret project'],
};
const told = (text: string): string => redact(text, names);

describe('redact', () => {
  const kept = [
    '2026-11-30 15:04:20.123 [info] The supervisor was started.',
    'UserError: apptainer.tooOld at SandboxRegistry.connectTo',
    'exit code 255, ENOENT, EACCES, version 1.4.5-rc.1, 12 ms, 45%',
    '-q exec --userns --no-mount read-only',
    'squashfuse not found in /usr/libexec/apptainer/bin',
  ];
  for (const text of kept) {
    it(`keeps: ${text}`, () => assert.equal(told(text), text));
  }

  const changed: readonly [string, string][] = [
    ['open /home/ada/thesis failed', 'open <folder 1> failed'],
    ['bind /data/secret project, read and write', 'bind <folder 2>, read and write'],
    ['in /home/ada and nowhere else', 'in ~ and nowhere else'],
    ['in /home/ada/.ssh/id_ed25519', 'in ~/<path>'],
    ['in /scratch/ada/run', 'in <path>'],
    ['ada on login3 and adamant', '<user> on <host> and adamant'],
    ['GET https://user:pw@models.example.org/v1', 'GET https:<path>:<path>'],
  ];
  for (const [text, expected] of changed) {
    it(`makes of: ${text}`, () => assert.equal(told(text), expected));
  }

  const secrets = [
    'sk-ant-api03-AbCdEf123',
    'sk-abcdefghijkl',
    'ghp_abcdefghijklmnopqrstuvwx',
    'AKIAIOSFODNN7EXAMPLE',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmN',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    'hunter2',
    'correct_horse_battery',
    'someone@example.org',
    '10.20.30.400:8080',
    'dGhpc2lzYXNlY3JldA==',
  ];
  for (const secret of secrets) {
    it(`withholds ${secret}`, () => {
      for (const text of [secret, `key ${secret}`, `{"apiKey":"${secret}"}`, `failed (${secret}).`]) {
        const bare = secret.replace(/[=:.].*$/, '');
        assert.ok(!told(text).includes(bare), told(text));
      }
    });
  }

  it('withholds the names of folders and of this computer, also in a longer word', () => {
    for (const [text, name] of [
      ['opened thesis', 'thesis'],
      ['host login3.internal.example', 'login3'],
      ['AKIAIOSFODNN', 'AKIA'],
      ['/opt/customer-x/license', 'customer'],
    ] as const) {
      assert.ok(!told(text).includes(name), told(text));
    }
  });

  it('takes no longer for a word that is made to cost much', () => {
    const word = (part: string): string => `${part.repeat(20_000)}b`;
    assertNoSlower(told, word('.'), word('a'));
  });

  it('withholds what is called a secret, however harmless it looks', () => {
    for (const text of [
      'password: swordfish',
      'apiKey=swordfish',
      '"api_key": "swordfish"',
      'Bearer swordfish',
      'OPENAI_API_KEY=swordfish',
      'x-api-key: swordfish',
      '--password swordfish',
      'password is swordfish',
      'ANTHROPIC_AUTH_TOKEN: swordfish',
      'accessToken swordfish',
    ]) {
      assert.ok(!told(text).includes('swordfish'), told(text));
    }
  });
});

describe('withoutCredentials', () => {
  it('takes name and password out of the addresses of a line, and nothing else', () => {
    for (const [line, told] of [
      ['http_proxy=http://me:swordfish@proxy:3128', 'http_proxy=http://<…>@proxy:3128'],
      ['+ curl -x "HTTPS://me:sword@fish@proxy" x@y', '+ curl -x "HTTPS://<…>@proxy" x@y'],
      ['http://a:b@c http://d:e@f', 'http://<…>@c http://<…>@f'],
      ['GET https://r/v2/a@sha256:30', 'GET https://r/v2/a@sha256:30'],
      ['docker://ghcr.io/a/b@sha256:30', 'docker://ghcr.io/a/b@sha256:30'],
    ] as const) {
      assert.equal(withoutCredentials(line), told);
    }
  });

  it('takes no longer for what was made to cost much', () => {
    assertNoSlower(withoutCredentials, 'http://'.repeat(10_000), 'letters'.repeat(10_000));
    assertNoSlower(withoutCredentials, 'http://a'.repeat(10_000), 'letters.'.repeat(10_000));
  });
});
