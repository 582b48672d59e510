import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { groupNames } from '../../../src/probes/probe';
import { probes } from '../../../src/probes/probes';
import { hasSaid, readReports, reportLine, sayWord } from '../../../src/probes/report';
import type { Seen } from '../../../src/probes/seen';
import { defaultProtectedPaths, readProtectedPatterns } from '../../../src/sandbox/protectedPaths';
import { projectFile } from '../../support/projectFile';
import { judgeAll, plan, secrets, seenOfBad, seenOfGood } from './support';

function idsThatAre(result: string, seen: Seen): string[] {
  return judgeAll(seen)
    .filter(({ judgement }) => judgement.result === result)
    .map(({ probe }) => probe.id);
}

const all = probes.map(({ id }) => id);

describe('the probes', () => {
  it('are at least 60 in ten groups, each with a name of its own', () => {
    assert.ok(probes.length >= 60);
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(new Set(probes.map(({ group }) => group)), new Set(groupNames));
    assert.ok(probes.every(({ id, group }) => id.startsWith(`${group}.`)));
  });

  it('try what is protected unless the user says otherwise', () => {
    const vectors = probes.filter(({ group }) => group === 'hostExecuted');
    const paths = vectors.flatMap(({ victims }) => victims?.(plan) ?? []);
    const names = paths.map((path) => path.slice(plan.workspace.length + 1));
    const patterns = readProtectedPatterns([...defaultProtectedPaths, '.git']);
    const untried = patterns.filter(
      ({ names: [first] }) => !names.some((name) => first?.test(name.split('/')[0] ?? '')),
    );
    assert.deepEqual(untried, []);
  });

  it('are as many as the documents say', () => {
    const read = (path: string): string => readFileSync(projectFile(path), 'utf8');
    const proof = read('docs/proof.md');
    const untraced = probes.filter(({ leavesNoTrace }) => leavesNoTrace).length;
    assert.ok(proof.includes(`a battery of ${probes.length} attempts`), String(probes.length));
    for (const path of ['README.md', 'docs/commands.md']) {
      assert.ok(read(path).includes(`tries ${probes.length} ways`), path);
    }
    assert.ok(proof.includes(`${untraced} leave none`), String(untraced));
  });

  it('can all hold', () => assert.deepEqual(idsThatAre('held', seenOfGood()), all));

  it('can all fail', () => assert.deepEqual(idsThatAre('notHeld', seenOfBad()), all));

  it('have not held when they did not run', () => {
    assert.deepEqual(idsThatAre('notHeld', seenOfGood({ reports: new Map() })), all);
  });

  it('have not held when they could not even try', () => {
    const reports = new Map(all.map((id) => [id, { said: '', failure: 'TypeError' }]));
    assert.deepEqual(idsThatAre('notHeld', seenOfGood({ reports })), all);
  });

  it('are not believed by their word', () => {
    const reports = new Map(
      all.map((id) => [id, { said: 'I got out: secret-00000000000000000000000000000000x' }]),
    );
    const seen = seenOfGood({ reports, secrets: { ...secrets, home: 'secret-f' } });
    assert.deepEqual(idsThatAre('notHeld', seen), []);
  });

  it('that rest on the kernel’s facts have not held when those could not be read', () => {
    const failed = idsThatAre('notHeld', seenOfGood({ kernel: undefined }));
    assert.ok(failed.includes('privilege.capabilities') && failed.includes('network.routes'));
    const withoutKernel = seenOfBad();
    assert.deepEqual(idsThatAre('notHeld', { ...withoutKernel, kernel: undefined }), all);
  });

  it('on the proxy prove nothing when it does not let through what it should', () => {
    const failed = idsThatAre('notHeld', seenOfGood({ controlArrived: false }));
    assert.deepEqual(
      failed,
      all.filter((id) => id.startsWith('network.proxy') || id === 'network.control'),
    );
  });

  it('say why when they can’t be judged', () => {
    const judged = judgeAll(seenOfGood({ target: 'plain', network: 'open' }));
    const notApplicable = judged.filter(({ judgement }) => judgement.result === 'notApplicable');
    assert.ok(notApplicable.length > 20);
    assert.ok(notApplicable.every(({ judgement }) => judgement.evidence.text.length > 10));
  });
});

describe('reports of probes', () => {
  const { token } = plan;

  it('come back from a terminal, with every secret that was got and little else', () => {
    const said = `${'x'.repeat(5000)} ${secrets.home} ${secrets.sibling}`;
    const stream = `$ go\r\n${reportLine(token, { id: 'read.home', said }).replaceAll('\n', '\r\n')}`;
    const report = readReports(stream, token).get('read.home');
    assert.ok(report?.said.includes(secrets.home) === true && report.said.includes(secrets.sibling));

    assert.ok((report?.said.length ?? Infinity) < 400);
  });

  it('are taken once, and only from who knows the run', () => {
    const first = reportLine(token, { id: 'a', said: 'first' });
    const second = reportLine(token, { id: 'a', said: 'second' });
    const other = reportLine('fedcba9876543210', { id: 'b', said: 'other' });
    const reports = readReports(
      `${first}[${token} report !!!][${token} report AAAA]${second}${other}`,
      token,
    );
    assert.deepEqual([...reports], [['a', { id: 'a', said: 'first' }]]);
  });

  it('know words on the way', () => {
    assert.ok(hasSaid(sayWord(token, 'ready'), token, 'ready'));
    assert.ok(!hasSaid(sayWord(token, 'ready'), token, 'tried'));
  });
});

describe('what the host sees for itself', () => {
  const good = seenOfGood();
  const changed = (kernel: Partial<NonNullable<Seen['kernel']>>): string[] =>
    idsThatAre('notHeld', seenOfGood({ kernel: good.kernel && { ...good.kernel, ...kernel } }));

  it('counts for more than that nothing came out', () => {
    const readable = new Map([...(good.kernel?.exposed ?? [])].map(([path]) => [path, 'readOnly' as const]));
    const failed = changed({ exposed: readable });
    assert.ok(
      failed.includes('read.home') && failed.includes('read.sshAgent') && failed.includes('environment.bind'),
    );
    assert.deepEqual(
      failed.filter((id) => /^(write|hostExecuted)\./.test(id)),
      [],
    );
    assert.ok(changed({ exposed: new Map() }).includes('write.home'));
    assert.ok(changed({ sharedNamespaces: ['net'] }).includes('network.abstractSocket'));
    assert.ok(changed({ variables: new Set(['apiToken']) }).includes('environment.apiToken'));
  });

  it('is needed of each attempt that it can see', () => {
    assert.ok(idsThatAre('notHeld', seenOfGood({ networkEntries: [] })).includes('network.proxyLoopback'));
    const others = good.networkEntries.map((entry) => ({ ...entry, host: '127.0.0.1' }));
    const named = idsThatAre('notHeld', seenOfGood({ networkEntries: others }));
    assert.ok(named.includes('network.proxyLocalhost') && !named.includes('network.proxyLoopback'));
    assert.ok(idsThatAre('notHeld', seenOfGood({ marked: new Set() })).includes('selfDowngrade.preload'));
    assert.deepEqual(idsThatAre('notHeld', seenOfGood({ floodRead: 100 })), ['limits.flood']);
    const { kernel } = good;
    const alone = seenOfGood({ kernel: kernel && { ...kernel, processes: kernel.processes.slice(0, 3) } });
    assert.deepEqual(idsThatAre('notHeld', alone), ['limits.stop']);
    const meek = kernel?.processes.map((process) => ({ ...process, ignoresEnd: false })) ?? [];
    assert.deepEqual(changed({ processes: meek }), ['limits.stop']);
  });

  it('must be the whole terminal: what went before a flood would be missed', () => {
    const failed = idsThatAre('notHeld', seenOfGood({ isStreamWhole: false }));
    assert.ok(failed.includes('terminal.clipboard') && failed.includes('terminal.type'));
  });
});
