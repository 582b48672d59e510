import assert from 'node:assert/strict';
import { lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oursTarget, plainTarget, prepareOurs } from '../../scripts/probes/targets';
import { connectSandbox } from '../../src/launch/connect';
import { startSupervisor } from '../../src/launch/startSupervisor';
import { runBattery, type JudgedProbe } from '../../src/probes/host/battery';
import { Canaries } from '../../src/probes/host/canaries';
import { OursTarget } from '../../src/probes/host/ours';
import { nextStartMarks } from '../../src/probes/seen';
import type { Target } from '../../src/probes/host/target';
import { Cancelled } from '../../src/sandbox/userError';
import { processesBelow, stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { details, environment, isOpen, notHeld, runOn } from './support/battery';
import { targetParts } from './support/unverifiedTarget';

/** What a run could have left in the places where something is hidden. */
function traces(): string[] {
  return [process.env['HOME'] ?? '/', tmpdir(), '/tmp', '/var/tmp', '/dev/shm'].flatMap((folder) =>
    readdirSync(folder).filter(
      (name) => /^(\.?sandbox-(probe|proof)-|secret-[0-9a-f]{32})/.test(name) && isOurs(join(folder, name)),
    ),
  );
}

/** Another user may run the battery at the same time. */
function isOurs(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

describe('the escape battery', () => {
  let ours: JudgedProbe[] = [];

  it('is held by our sandbox, but for what is not built yet', async () => {
    ours = await runOn(await oursTarget(targetParts()));
    const failed = notHeld(ours).filter((id) => !isOpen(id));
    assert.deepEqual(failed, [], details(ours, failed));
    const held = ours.filter(({ judgement }) => judgement.result === 'held').length;
    assert.ok(held >= 100, `${held} held`);
  });

  it('leaves nothing on the host', () => assert.deepEqual(traces(), []));

  it('leaves nothing when it is cancelled', async () => {
    const canaries = await Canaries.plant({ environment });
    const cancelling = new AbortController();
    try {
      const running = runBattery({
        ...{ target: await oursTarget(targetParts()), canaries, signal: cancelling.signal },
        onProgress: () => cancelling.abort(),
        onProblem: console.error,
      });
      await assert.rejects(running, Cancelled);
    } finally {
      await canaries.remove();
    }
    await waitUntil(
      'no supervisor is left',
      () =>
        !stillRunning(processesBelow(process.pid)).some(({ commandLine }) =>
          /supervisor\.js/.test(commandLine),
        ),
      5000,
    );
    assert.deepEqual(traces(), []);
  });

  it('finds the holes of the plain command', async () => {
    const judged = await runOn(await plainTarget(targetParts()));
    const expected = [
      ...['read.descriptors', 'write.setId', 'write.kernelFiles', 'environment.proxy', 'environment.bind'],
      ...['environment.mount', 'environment.apptainer', 'environment.modelKey', 'process.group'],
      ...['process.hostName', 'privilege.filter', 'privilege.userNamespace', 'network.loopback'],
      ...['network.abstractSocket', 'network.routes', 'hostExecuted.gitHook', 'terminal.own'],
      ...['terminal.clipboard', 'terminal.report', 'limits.stop'],
    ];
    const missed = expected.filter((id) => !notHeld(judged).includes(id));
    assert.deepEqual(missed, [], details(judged, missed));
    const believed = ['read.home', 'read.sibling', 'write.home', 'write.root', 'process.list'];
    assert.deepEqual(
      notHeld(judged).filter((id) => believed.includes(id)),
      [],
    );
  });

  it('sees a next start that is weaker, a clipboard that may be written, and a window that is sent everything', async () => {
    const broken = await runOn(brokenTarget());
    const expected = [
      ...ours.map(({ probe }) => probe.id).filter((id) => id.startsWith('selfDowngrade.')),
      ...['terminal.clipboard', 'limits.flood'],
    ];
    const news = notHeld(broken).filter((id) => !notHeld(ours).includes(id));
    assert.deepEqual(news.sort(), expected.sort(), details(broken, news));
  });
});

/** Our own launcher, verified and all, that is careless where no verdict looks. */
function brokenTarget(): Target {
  const parts = targetParts();
  let starts = 0;
  return new OursTarget({
    prepare: async (canaries) => {
      starts += 1;
      const prepared = await prepareOurs(parts, canaries, starts === 1 ? 'restricted' : 'none');
      if (starts > 1) nextStartMarks.forEach((name) => writeFileSync(join(canaries.workspace, name), ''));
      return { ...prepared, specification: { ...prepared.specification, mayWriteClipboard: true } };
    },
    startSupervisor: (input) =>
      startSupervisor({
        ...{ nodePath: process.execPath, script: join(parts.bundles, 'supervisor.js'), ...input },
        ...{ environment, onLog: () => undefined },
      }),
    connect: async (socket, options) => {
      const connection = await connectSandbox(socket, options);
      let parsed = 0;
      connection.onOutput((data) => connection.acknowledge((parsed += data.length)));
      return connection;
    },
    describe: () => ({ argv: [], versions: {} }),
  });
}
