import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oursTarget, plainTarget, prepareOurs } from '../../scripts/probes/targets';
import { connectSandbox } from '../../src/launch/connect';
import { startSupervisor } from '../../src/launch/startSupervisor';
import { runBattery, type JudgedProbe } from '../../src/probes/host/battery';
import { Canaries } from '../../src/probes/host/canaries';
import { OursTarget } from '../../src/probes/host/ours';
import type { Target } from '../../src/probes/host/target';
import { formatMessage } from '../../src/sandbox/message';
import { Cancelled } from '../../src/sandbox/userError';
import { processesBelow, stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { breakages } from './support/breakages';
import { targetParts, UnverifiedTarget } from './support/unverifiedTarget';

// in the home, so that whoever sees that sees this, too
const environment = { ...process.env, XDG_RUNTIME_DIR: process.env['HOME'] };

/** A run with a folder and canaries of its own. */
async function run(target: Target): Promise<JudgedProbe[]> {
  const canaries = await Canaries.plant({ environment, plantsKey: true });
  try {
    return await runBattery({ target, canaries, signal: new AbortController().signal });
  } finally {
    await canaries.remove();
  }
}

function notHeld(judged: readonly JudgedProbe[]): string[] {
  return judged.filter(({ judgement }) => judgement.result === 'notHeld').map(({ probe }) => probe.id);
}

/** For people, when something is not as it should be. */
function details(judged: readonly JudgedProbe[], ids: readonly string[]): string {
  return judged
    .filter(({ probe }) => ids.includes(probe.id))
    .map(({ probe, judgement, said }) => `${probe.id}: ${formatMessage(judgement.evidence)} (${said})`)
    .join('\n');
}

/** What has not been built yet; whatever else does not hold is a failure. */
function isOpen(id: string): boolean {
  return id === 'limits.processes' || id === 'limits.memory';
}

/** What a run could have left in the places where something is hidden. */
function traces(): string[] {
  return [process.env['HOME'] ?? '/', tmpdir(), '/tmp', '/var/tmp', '/dev/shm'].flatMap((folder) =>
    readdirSync(folder).filter((name) => /^(\.?sandbox-(probe|proof)-|secret-[0-9a-f]{32})/.test(name)),
  );
}

describe('the escape battery', () => {
  let ours: JudgedProbe[] = [];

  it('is held by our sandbox, but for what is not built yet', async () => {
    ours = await run(await oursTarget(targetParts()));
    const failed = notHeld(ours).filter((id) => !isOpen(id));
    assert.deepEqual(failed, [], details(ours, failed));
    const held = ours.filter(({ judgement }) => judgement.result === 'held').length;
    assert.ok(held >= 100, `${held} held`);
  });

  it('leaves nothing on the host', () => assert.deepEqual(traces(), []));

  it('leaves nothing when it is cancelled', async () => {
    const canaries = await Canaries.plant({ environment, plantsKey: false });
    const cancelling = new AbortController();
    try {
      const running = runBattery({
        ...{ target: await oursTarget(targetParts()), canaries, signal: cancelling.signal },
        onProgress: () => cancelling.abort(),
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
    const judged = await run(await plainTarget(targetParts()));
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
    const broken = await run(brokenTarget());
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
      if (starts > 1) writeFileSync(join(canaries.workspace, 'preloaded'), '');
      return { ...prepared, specification: { ...prepared.specification, mayWriteClipboard: true } };
    },
    startSupervisor: (input) =>
      startSupervisor({
        ...{ nodePath: process.execPath, script: join(parts.bundles, 'supervisor.js'), ...input },
        ...{ environment, onLog: () => undefined },
      }),
    connect: async (socket) => {
      const connection = await connectSandbox(socket);
      let parsed = 0;
      connection.onOutput((data) => connection.acknowledge((parsed += data.length)));
      return connection;
    },
    describe: () => ({ argv: [], versions: {} }),
  });
}

describe('the escape battery in a sandbox that nobody verifies', () => {
  let whole: string[] = [];

  before(async () => {
    whole = notHeld(await run(new UnverifiedTarget()));
  });

  it('sees that nothing filters what reaches the terminal, and nobody looks after /tmp or the window', () => {
    const news = whole.filter((id) => !isOpen(id) && !id.startsWith('selfDowngrade.'));
    const sequences = [
      'clipboard',
      'clipboardRead',
      'title',
      'link',
      'report',
      'titleReport',
      'editor',
      'image',
    ];
    assert.deepEqual(news, [
      ...sequences.map((name) => `terminal.${name}`),
      ...['limits.temporary', 'limits.flood'],
    ]);
  });

  for (const { how, breakage, seenBy, maybeSeenBy = [] } of breakages) {
    it(`fails ${how} exactly where it should`, async () => {
      const judged = await run(new UnverifiedTarget(breakage));
      const news = notHeld(judged).filter((id) => !whole.includes(id) && !maybeSeenBy.includes(id));
      const missed = seenBy.filter((id) => !news.includes(id));
      assert.deepEqual(news.sort(), [...seenBy].sort(), details(judged, [...news, ...missed]));
    });
  }
});
