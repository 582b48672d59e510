import { join, resolve } from 'node:path';
import * as nodePty from 'node-pty';
import { prepareOurs, type TargetParts } from '../../../scripts/probes/targets';
import { hideInControl } from '../../../src/probes/host/battery';
import type { Canaries } from '../../../src/probes/host/canaries';
import { probeInput } from '../../../src/probes/host/ours';
import type { RunningTarget, Target } from '../../../src/probes/host/target';
import { toolEnvironment } from '../../../src/sandbox/hostEnvironment';
import { planLaunch, type LaunchPlan } from '../../../src/sandbox/launchPlan';
import type { RunDirectory } from '../../../src/sandbox/runDirectory';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { serveCompanion } from '../../../src/supervisor/companionChannel';
import { companionOrder } from '../../../src/supervisor/companionOrder';
import { waitAtGate } from '../../../src/supervisor/gate';
import { startGatewayThread } from '../../../src/supervisor/gatewayThread';
import { endRemains, noteRemains } from '../../../src/supervisor/remains';
import { SandboxPlaces } from '../../../src/supervisor/sandboxPlaces';
import { SandboxGateway } from '../../../src/supervisor/sandboxGateway';
import { startNaiveGateway } from './naiveGateway';
import { apptainer, image } from '../../support/environment';

const repository = resolve(__dirname, '../../../..');

/** The parts with which the tests make sandboxes for the battery. */
export function targetParts(): TargetParts {
  return {
    ...{ apptainer: apptainer(), image: image(), bundles: join(repository, 'dist') },
    nodePty: join(repository, 'node_modules/node-pty'),
  };
}

/** How a sandbox is made worse than ours. */
export interface Breakage {
  readonly specification?: (specification: SandboxSpecification, canaries: Canaries) => SandboxSpecification;
  readonly plan?: (plan: LaunchPlan, canaries: Canaries) => LaunchPlan;
  readonly hasNaiveGateway?: true;
}

/**
 * Our own sandbox without the supervisor's verdict, which would let no broken one through its gate, and without its
 * filter of what reaches the terminal.
 */
export class UnverifiedTarget implements Target {
  readonly name = 'ours';

  /** @param parts with what the inside part is */
  constructor(
    private readonly breakage: Breakage = {},
    private readonly parts = targetParts(),
  ) {}

  describe(): ReturnType<Target['describe']> {
    return { argv: [], versions: {} };
  }

  async start(canaries: Canaries, signal: AbortSignal): Promise<RunningTarget> {
    const { parts } = this;
    const { plan, encodedPlan, input } = probeInput(await prepareOurs(parts, canaries), canaries);
    const specification = this.breakage.specification?.(input.specification, canaries) ?? input.specification;
    const places = new SandboxPlaces(specification, { update: () => Promise.resolve() });
    const { run } = await places.make({
      companion: join(parts.bundles, 'companion.mjs'),
      probes: join(parts.bundles, 'probes.mjs'),
    });
    hideInControl(run.path, canaries);
    const environment = { ...toolEnvironment(specification.apptainer, process.env), TERM: 'xterm-256color' };
    const asked = planLaunch(specification, run, environment);
    const launch = this.breakage.plan?.(asked, canaries) ?? asked;
    const gateway = this.breakage.hasNaiveGateway
      ? await naiveGateway(run, canaries)
      : new SandboxGateway(specification, run, input.secrets, (options, listeners) =>
          startGatewayThread(options, listeners, join(parts.bundles, 'gateway.js')),
        );
    const stop = await letGo({ launch, specification, run, places, gateway, signal });
    return {
      ...{
        plan,
        encodedPlan,
        network: specification.network,
        hostPids: [process.pid],
        runDirectory: run.path,
      },
      ...stop,
      networkEntries: () => Promise.resolve(gateway.entries()),
    };
  }
}

type UsedGateway = Pick<SandboxGateway, 'prepare' | 'entries' | 'close'>;

async function naiveGateway(run: RunDirectory, canaries: Canaries): Promise<UsedGateway> {
  const naive = await startNaiveGateway(run, canaries);
  return {
    prepare: () => Promise.resolve(),
    entries: () => [],
    close: () => Promise.resolve(naive.close()),
  };
}

interface Parts {
  readonly launch: LaunchPlan;
  readonly specification: SandboxSpecification;
  readonly run: RunDirectory;
  readonly places: SandboxPlaces;
  readonly gateway: UsedGateway;
  readonly signal: AbortSignal;
}

/** As the supervisor does it, but nobody looks. */
async function letGo({
  launch,
  specification,
  run,
  places,
  gateway,
  signal,
}: Parts): Promise<Pick<RunningTarget, 'ended' | 'onOutput' | 'send' | 'stop'>> {
  const pty = nodePty.spawn(launch.file, [...launch.arguments], {
    ...{ name: 'xterm-256color', cols: 200, rows: 50, cwd: '/', env: { ...launch.environment } },
  });
  let output = '';
  let listener = (data: string): void => {
    output += data;
  };
  pty.onData((data) => listener(data));
  const gone = new AbortController();
  const ended = new Promise<string>((resolve) => {
    pty.onExit(({ exitCode }) => {
      gone.abort();
      resolve(`exit code ${exitCode}: ${output}`);
    });
  });
  const waiting = await waitAtGate(pty.pid, run.gate, AbortSignal.any([signal, gone.signal]));
  if (!waiting) throw new Error(`no container came to its gate: ${output}`);
  const remains = noteRemains(waiting.container);
  await gateway.prepare();
  const companion = await serveCompanion(run.companionSocket, companionOrder(specification, run));
  waiting.open();
  return {
    ended,
    send: (text) => pty.write(text),
    onOutput: (heard) => {
      listener = heard;
      heard(output);
    },
    stop: async () => {
      await endRemains(remains);
      await ended;
      companion.close();
      await gateway.close();
      await places.remove();
    },
  };
}
