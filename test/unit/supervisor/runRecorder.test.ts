import assert from 'node:assert/strict';
import { readRunRecords, writeRunRecord } from '../../../src/host/runRecords';
import { planLaunch } from '../../../src/sandbox/launchPlan';
import { runDirectoryAt } from '../../../src/sandbox/runDirectory';
import { RunRecorder } from '../../../src/supervisor/runRecorder';
import { exampleSpecification } from '../../support/exampleSpecification';
import { verdictOf } from '../../support/fakeConnection';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

describe('RunRecorder', () => {
  const root = useTemporaryFolder();

  function start(id = '0123456789abcdef'): RunRecorder {
    const specification = exampleSpecification({ id });
    const plan = planLaunch(specification, runDirectoryAt('/tmp/sandboxed-agent-x'), {});
    const onFailure = (error: unknown): never => assert.fail(String(error));
    return new RunRecorder(root(), specification, plan, { extensionVersion: '1.2.3', onFailure });
  }

  it('knows the digest of an image that an earlier run has read', async () => {
    await start('1111111111111111').close();
    const [earlier] = await readRunRecords(root());
    assert.ok(earlier);
    await writeRunRecord(root(), { ...earlier, image: { ...earlier.image, sha256: 'abc' } });
    const recorder = start();
    await waitUntil('it is noted', async () =>
      (await readRunRecords(root())).some(({ id, image }) => id !== earlier.id && image.sha256 === 'abc'),
    );
    await recorder.close();
  });

  it('keeps the first verdicts and the last one, however often they change', async () => {
    const recorder = start();
    for (let round = 0; round < 150; round++) {
      const state = round % 2 === 0 ? 'isolated' : 'degraded';
      recorder.follow(
        { phase: 'running', verdict: { ...verdictOf(), time: round, state } },
        { hosts: [], leftOff: 0 },
      );
    }
    recorder.follow(
      { phase: 'running', verdict: { ...verdictOf(), time: 150, state: 'broken' } },
      { hosts: [], leftOff: 0 },
    );
    await recorder.close();
    const [record] = await readRunRecords(root());
    assert.equal(record?.verdicts.length, 100);
    assert.equal(record.verdicts[0]?.time, 0);
    assert.equal(record.verdicts.at(-1)?.state, 'broken');
  });
});
