import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { image } from '../../support/environment';
import { processesBelow } from '../../support/processes';
import { ScreenReader } from '../../support/screenReader';
import { waitUntil } from '../../support/waitUntil';
import { identified, specify, startSandbox, TestFolders } from '../../sandbox/support/sandboxUnderTest';
import { type Bench, type Figure, median } from '../bench';
import { getTestParts } from '../parts';
import { proportionalMegabytes } from './processUse';

const sandboxes = 8;
const prompt = /[$#>] *$/m;

interface OneOfMany {
  readonly connection: Awaited<ReturnType<typeof startSandbox>>['connection'];
  readonly supervisorPid: number;
  readonly screen: ScreenReader;
  readonly folders: TestFolders;
  readonly secret: string;
  readonly started: number;
}

/** Sandboxes that are started at the same moment, each with a folder of its own. */
export const manyBench: Bench = {
  async *run(): AsyncGenerator<Figure> {
    await getTestParts();
    const folders = Array.from({ length: sandboxes }, () => new TestFolders());
    const single = new TestFolders();
    let all: OneOfMany[] = [];
    try {
      const alone = await open(single, 'alone');
      await alone.connection.stop();
      all = await Promise.all(folders.map((one, number) => open(one, `secret-${number}-of-8`)));
      yield startTimes(alone, all);
      yield memory(all);
      yield await crossTalk(all);
    } finally {
      await Promise.all(all.map(({ connection }) => connection.stop()));
      for (const one of [...folders, single]) one.remove();
    }
  },
};

/** A shell that reaches the gateway, as an agent would, and its prompt. */
async function open(folders: TestFolders, secret: string): Promise<OneOfMany> {
  writeFileSync(join(folders.workspace, 'own'), secret);
  const start = performance.now();
  const specification = specify(folders, { image: identified(image()), network: 'restricted' });
  const { connection, supervisorPid } = await startSandbox(specification);
  const screen = await ScreenReader.attach(connection);
  await screen.shows(prompt);
  return { connection, supervisorPid, screen, folders, secret, started: performance.now() - start };
}

function startTimes(alone: OneOfMany, all: readonly OneOfMany[]): Figure {
  const times = all.map(({ started }) => started);
  const [last, most] = [Math.max(...times), sandboxes * alone.started];
  return {
    name: `${sandboxes} sandboxes at once, until each has its prompt`,
    unit: 'ms',
    values: { alone: alone.started, median: median(times), last },
    goal: `the last within ${sandboxes} times one alone`,
    isMet: last <= most,
  };
}

function memory(all: readonly OneOfMany[]): Figure {
  const supervisors = all.map(({ supervisorPid }) => proportionalMegabytes(supervisorPid));
  const sums = all.map(({ supervisorPid }) =>
    processesBelow(supervisorPid).reduce((sum, { pid }) => sum + proportionalMegabytes(pid), 0),
  );
  const supervisor = median(supervisors);
  return {
    name: `memory of each of ${sandboxes}, with its part of what they share (PSS)`,
    unit: 'MB',
    values: { supervisor, 'all processes': median(sums) },
    goal: 'supervisor less than 50',
    isMet: supervisor < 50,
  };
}

/** Each writes into its home and its /tmp and looks for what the others have. */
async function crossTalk(all: readonly OneOfMany[]): Promise<Figure> {
  const counts = await Promise.all(
    all.map(async ({ screen, folders, secret }, number) => {
      const others = all.flatMap((one) => (one.folders === folders ? [] : [one.folders.workspace]));
      screen.type(
        `clear; echo ${secret} >/tmp/mark; echo ${secret} >~/mark; sleep 1; cat /tmp/mark ~/mark; `,
      );
      screen.type(`ls -d ${others.join(' ')} 2>/dev/null | wc -l; echo do''ne-${number}\r`);
      await screen.shows(new RegExp(`done-${number}`));
      const text = screen.text();
      const foreign = all.filter((one) => one.secret !== secret && text.includes(one.secret));
      const found = /^(\d+)\s*$/m.exec(text)?.[1];
      if (!text.includes(secret)) throw new Error(`a sandbox lost its own mark:\n${text}`);
      return foreign.length + Number(found ?? NaN);
    }),
  );
  await waitUntil('all still run', () =>
    all.every(({ connection }) => connection.status.phase === 'running'),
  );
  const seen = counts.reduce((sum, count) => sum + count, 0);
  return {
    name: `what ${sandboxes} sandboxes see of each other`,
    unit: 'things',
    values: { seen },
    goal: 'none',
    isMet: seen === 0,
  };
}
