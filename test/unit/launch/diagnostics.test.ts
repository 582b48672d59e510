import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { collectDiagnostics, type DiagnosticsRequest } from '../../../src/launch/diagnostics';
import { message } from '../../../src/sandbox/message';
import { summary, verdictOf } from '../../support/fakeConnection';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const key = 'sk-planted-Key0123456789';

describe('collectDiagnostics', () => {
  const root = useTemporaryFolder();
  const at = (...names: string[]): string => join(root(), ...names);

  async function collect(more: Partial<DiagnosticsRequest> = {}): Promise<Record<string, string>> {
    const bytes = await collectDiagnostics({
      versions: { extension: '0.2.0' },
      settings: {},
      window: { isTrusted: true },
      folders: [at('planted-folder')],
      sandboxes: [],
      log: '',
      storageDirectory: at('storage'),
      environment: { HOME: at('planted-home'), PLANTED: key },
      ...more,
    });
    return Object.fromEntries(
      Object.entries(unzipSync(bytes)).map(([name, text]) => [name, strFromU8(text)]),
    );
  }

  it('tells versions, settings, the host and the state of the sandboxes', async () => {
    const files = await collect({
      settings: { network: 'none', agentHome: 'workspace', image: '/x.sif', detachedTimeoutMinutes: 5 },
      sandboxes: [{ summary, status: { phase: 'running', verdict: verdictOf() } }],
    });
    const facts = JSON.parse(files['facts.json'] ?? '') as {
      readonly versions: object;
      readonly settings: object;
      readonly runs: object;
      readonly host: { processor: string };
      readonly sandboxes: readonly { verdict: { state: string } }[];
    };
    assert.deepEqual(facts.versions, { extension: '0.2.0' });
    assert.deepEqual(facts.settings, {
      apptainerPath: 'not set',
      apptainerCacheFolder: 'not set',
      apptainerTemporaryFolder: 'not set',
      image: 'set',
      imageSource: 'not set',
      agentHome: 'workspace',
      network: 'none',
      clipboard: 'not set',
      detachedTimeoutMinutes: 5,
      temporaryFilesLimit: 'not a number',
    });
    assert.equal(facts.host.processor, process.arch);
    assert.equal(facts.sandboxes[0]?.verdict.state, 'isolated');
    assert.deepEqual(facts.runs, []);
  });

  it('holds nothing that was planted where it looks', async () => {
    const secrets = [
      key,
      'planted-home',
      'planted-folder',
      'planted-project',
      userInfo().username,
      hostname(),
    ];
    const log = [
      `2026-11-30 15:04:20.123 [info] started in ${at('planted-folder')} by ${userInfo().username}`,
      `2026-11-30 15:04:20.123 [error] {"apiKey": "${key}"} ${at('planted-home', 'x')} on ${hostname()}`,
    ].join('\n');
    const files = await collect({
      log,
      settings: {
        image: `/data/${key}.sif`,
        imageSource: `docker://user:${key}@host/image`,
        agentHome: `/home/${key}`,
        apptainerPath: key,
        apptainerCacheFolder: `/data/${key}`,
        apptainerTemporaryFolder: `/data/${key}`,
        network: key,
        detachedTimeoutMinutes: key,
        unknown: key,
      },
      sandboxes: [
        {
          summary: { ...summary, workspace: '/data/planted-project', image: `/${key}` },
          status: {
            phase: 'ended',
            verdict: verdictOf({
              lines: [{ fact: 'network', status: 'broken', detail: message('{0}', key) }],
              visiblePaths: [{ hostPath: '/data/planted-project', containerPath: '/', mode: 'readOnly' }],
            }),
            end: { reason: 'failed', explanation: message('{0}', key), diagnostics: key },
          },
        },
      ],
    });
    const all = JSON.stringify(files);
    for (const secret of secrets) {
      assert.ok(!all.includes(secret), `${secret} in ${all}`);
    }
    assert.match(files['log.txt'] ?? '', /started in <folder 1> by/);
  });

  it('goes on without what can’t be read', async () => {
    writeFileSync(at('storage'), 'a file where a folder should be');
    const files = await collect();
    assert.equal(files['log.txt'], '');
    const facts = JSON.parse(files['facts.json'] ?? '') as Record<string, unknown>;
    assert.deepEqual(facts['runs'], { failed: 'Error' });
  });

  it('keeps the end of a long log, from the beginning of a line', async () => {
    const line = '2026-11-30 15:04:20.123 [info] a line of the log\n';
    const whole = `${key} `.repeat(100) + line.repeat(10_000);
    const log = (await collect({ log: whole }))['log.txt'] ?? '';
    assert.ok(log.length <= 200_000);
    assert.ok(log.startsWith(line));
    assert.ok(log.endsWith(line));
  });
});
