import { realpathSync } from 'node:fs';
import { image } from '../../support/environment';
import { waitUntil } from '../../support/waitUntil';
import { AgentWorkbench } from '../../ui/agentWorkbench';
import { type Bench, type Figure, median, percentile95 } from '../bench';
import { getTestParts } from '../parts';
import { proportionalMegabytes } from '../running/processUse';
import { floodMilliseconds, keyMilliseconds } from './terminalProbe';

const series = 7;
const keysInSeries = 20;
const floods = Number(process.env['SANDBOXED_AGENT_BENCH_FLOODS'] ?? 9);
/** With the first floods V8 lets its young generation grow, step by step, to 48 MB at most. */
const growingFloods = 5;
const megabytes = 40;
/** Growth of the supervisor over the floods after that: it keeps a thousand lines, whatever is printed. */
const flatMegabytes = 16;

/** bash in a sandbox, in a terminal of ours, against bash in a terminal of VS Code's own; in one window. */
export const terminalBench: Bench = {
  async *run(): AsyncGenerator<Figure> {
    await getTestParts('vscodeServer');
    const workbench = await AgentWorkbench.open({
      ...{ name: 'bench', configuresModel: false, folderName: 'work' },
      settings: {
        'sandboxedAgent.image': realpathSync(image()),
        'sandboxedAgent.network': 'open',
        'terminal.integrated.defaultProfile.linux': 'bash',
        'terminal.integrated.shellIntegration.enabled': false,
      },
    });
    try {
      await openTerminals(workbench);
      yield await echo(workbench);
      yield* await flood(workbench);
    } finally {
      // a window that closes ends no sandbox
      for (const { pid } of await workbench.sandboxProcesses().then(
        (all) => all.slice(0, 1),
        () => [],
      )) {
        process.kill(pid, 'SIGTERM');
      }
      await workbench.close();
    }
  },
};

type Side = 'bare' | 'ours';

/** The bare one is made first. */
async function openTerminals({ page }: AgentWorkbench): Promise<void> {
  await page.runCommand('Terminal: Create New Terminal');
  await page.terminalShows(/[$#>] *$/m);
  await page.runCommand('Sandboxed Agent: Open Shell');
  await page.statusSays(/Agent: isolated/);
  await page.terminalShows(/[$#>] *$/m);
}

async function show({ page }: AgentWorkbench, side: Side): Promise<void> {
  const name = side === 'bare' ? /bash/ : /sandboxed/;
  await page.page.locator('.part.panel .tabs-list .monaco-list-row').filter({ hasText: name }).click();
  await waitUntil('its terminal is in front', async () => name.test(await page.terminalName()));
  await page.typeIntoTerminal('\r');
}

async function echo(workbench: AgentWorkbench): Promise<Figure> {
  const times: Record<Side, number[]> = { bare: [], ours: [] };
  for (let round = 0; round < series; round++) {
    for (const side of ['bare', 'ours'] as const) {
      await show(workbench, side);
      times[side].push(...(await keyMilliseconds(workbench.page, keysInSeries)));
    }
  }
  const [bare, ours] = [median(times.bare), median(times.ours)];
  return {
    name: 'from a key to its echo',
    unit: 'ms',
    values: {
      bare,
      ours,
      'bare, of 95 %': percentile95(times.bare),
      'ours, of 95 %': percentile95(times.ours),
    },
    goal: 'not slower at the median',
    isMet: ours <= bare,
  };
}

async function flood(workbench: AgentWorkbench): Promise<Figure[]> {
  const [supervisor] = await workbench.sandboxProcesses();
  const memory = (): number => proportionalMegabytes(supervisor?.pid ?? 0);
  const times: Record<Side, number[]> = { bare: [], ours: [] };
  const sizes: number[] = [];
  for (let round = 0; round < floods; round++) {
    for (const side of ['bare', 'ours'] as const) {
      await show(workbench, side);
      times[side].push(await floodMilliseconds(workbench.page, megabytes, round));
    }
    sizes.push(memory());
  }
  const [bare, ours] = [median(times.bare), median(times.ours)];
  const [first = NaN] = sizes;
  const grown = sizes[Math.min(growingFloods, sizes.length) - 1] ?? NaN;
  const growth = (sizes.at(-1) ?? NaN) - grown;
  await waitUntil('the supervisor still runs', () => !Number.isNaN(memory()));
  return [
    {
      name: `${megabytes} MB of output, until its end is shown`,
      unit: 'ms',
      values: { bare, ours },
      goal: 'sooner than there',
      isMet: ours < bare,
    },
    {
      name: `memory of the supervisor over ${floods} times of that (PSS)`,
      unit: 'MB',
      values: { first, [`after ${growingFloods}`]: grown, growth },
      goal: `growth after that at most ${flatMegabytes}`,
      isMet: growth <= flatMegabytes,
    },
  ];
}
