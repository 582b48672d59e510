import { judge } from '../../../src/sandbox/judge';
import { planLaunch } from '../../../src/sandbox/launchPlan';
import { runDirectoryAt } from '../../../src/sandbox/runDirectory';
import { listProc, processStat, processTree } from '../../../src/host/procfs';
import { readContainerFacts } from '../../../src/supervisor/containerFacts';
import type { ContainerProcesses } from '../../../src/supervisor/containerProcesses';
import { readGateFacts } from '../../../src/supervisor/gateFacts';
import { image, vscodeHost } from '../../support/environment';
import { waitUntil } from '../../support/waitUntil';
import { processesBelow } from '../../support/processes';
import { pidOf, type RunningSandbox, startRunning } from '../../sandbox/support/runningSandbox';
import { identified, specify, TestFolders } from '../../sandbox/support/sandboxUnderTest';
import { type Bench, type Figure, median, percentile95 } from '../bench';
import { getTestParts } from '../parts';
import { processorNanoseconds } from './processUse';

const verdicts = 500;
/** For the code to be compiled. */
const firstVerdicts = 50;
/** opencode's interface has about thirty, the companion a dozen. */
const fewestThreads = 20;
const idleMilliseconds = 20_000;

/** What it costs to know for certain that a sandbox still is one. */
export const attestBench: Bench = {
  async *run(): AsyncGenerator<Figure> {
    await getTestParts('vscodeServer');
    yield await withSandbox({ image: identified(image()), kind: 'agent', network: 'open' }, oneVerdict);
    yield await withSandbox({}, idleShare);
  },
};

async function withSandbox(
  changes: Parameters<typeof specify>[1],
  measure: (running: RunningSandbox, folders: TestFolders) => Promise<Figure>,
): Promise<Figure> {
  const folders = new TestFolders();
  const running = await startRunning(folders, changes, vscodeHost().nodeBinary);
  try {
    return await measure(running, folders);
  } finally {
    await running.connection.stop();
    await waitUntil('it has ended', () => running.connection.status.phase === 'ended');
    folders.remove();
  }
}

/** Reads and judges as the supervisor does, of an agent with all its threads. */
async function oneVerdict(
  { supervisorPid, runDirectory }: RunningSandbox,
  folders: TestFolders,
): Promise<Figure> {
  const container = containerOf(supervisorPid);
  const threads = await waitUntil('opencode has its threads', () => {
    const count = processTree(container.init).flatMap((pid) => listProc(`${pid}/task`) ?? []).length;
    return count >= fewestThreads && count;
  });
  const specification = specify(folders, { image: identified(image()), kind: 'agent', network: 'open' });
  const { expectation } = planLaunch(specification, runDirectoryAt(runDirectory), {});
  const atGate = readGateFacts(container);
  const times: number[] = [];
  for (let round = 0; round < firstVerdicts + verdicts; round++) {
    const start = performance.now();
    const facts = readContainerFacts(container, atGate, []);
    if (!facts) throw new Error('the sandbox has ended');
    judge(facts, expectation, 'running');
    if (round >= firstVerdicts) times.push(performance.now() - start);
  }
  const usual = median(times);
  return {
    name: 'one verdict on an agent’s sandbox',
    unit: 'ms',
    values: { median: usual, 'of 95 %': percentile95(times), threads },
    goal: 'less than 5 at the median',
    isMet: usual < 5,
  };
}

function containerOf(supervisorPid: number): ContainerProcesses {
  const [starter, init] = [pidOf('starter', supervisorPid), pidOf('init', supervisorPid)];
  const stat = init === undefined ? undefined : processStat(init);
  if (starter === undefined || init === undefined || !stat) throw new Error('there is no container');
  return { starter, init, initStartTime: stat.startTime };
}

/** The supervisor with all that it keeps running, for a shell in which nothing happens. */
async function idleShare({ supervisorPid }: RunningSandbox): Promise<Figure> {
  const all = (): number => processorNanoseconds(processesBelow(supervisorPid).map(({ pid }) => pid));
  const before = all();
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, idleMilliseconds));
  const share = (all() - before) / 1e4 / (performance.now() - start);
  return {
    name: 'processor time of a sandbox in which nothing happens',
    unit: '% of a core',
    values: { share },
    goal: 'less than 0.3',
    isMet: share < 0.3,
  };
}
