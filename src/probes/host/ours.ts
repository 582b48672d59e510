import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { NetworkEntry } from '../../gateway/gateway';
import { firstPatienceMilliseconds, type ConnectOptions } from '../../launch/connect';
import type { SandboxConnection } from '../../launch/connection';
import type { PreparedSandbox } from '../../launch/prepare';
import type { StartedSupervisor } from '../../launch/startSupervisor';
import { formatMessage } from '../../sandbox/message';
import { Cancelled, UserError } from '../../sandbox/userError';
import type { SandboxSpecification } from '../../sandbox/specification';
import type { SupervisorInput } from '../../supervisor/input';
import { tooLarge } from '../../supervisor/temporaryWatch';
import { littleRoom, nextStartMarks, type NextStart } from '../seen';
import { hideInControl } from './battery';
import type { Canaries } from './canaries';
import { canaryProvider } from './modelCanary';
import { encodePlan, type RunningTarget, type Target, type TargetDescription } from './target';
import { TerminalStream } from './terminalStream';
import { hasSaid } from '../report';

/** All is over by then, whoever has gone away meanwhile. */
const deadlineMilliseconds = 4 * 60_000;

/** The supervisor looks at temporary files every few seconds. */
const fullMilliseconds = 20_000;

/** Of a few seconds each. */
const mostTries = 6;

/** Wide, so that no line is broken. */
const dimensions = { columns: 200, rows: 50 };

export interface OursOptions {
  /** prepares a sandbox for an agent in the folder with the canaries, in this environment; kind `probes` */
  readonly prepare: (canaries: Canaries) => Promise<PreparedSandbox>;
  readonly startSupervisor: (input: SupervisorInput, canaries: Canaries) => Promise<StartedSupervisor>;
  readonly connect: (socket: string, options: ConnectOptions) => Promise<SandboxConnection>;
  readonly describe: (specification: SandboxSpecification | undefined) => TargetDescription;
}

/** Our own launcher: prepared, planned, held at the gate and verified as an agent's start is. */
export class OursTarget implements Target {
  readonly name = 'ours';
  private first: SandboxSpecification | undefined;

  constructor(private readonly options: OursOptions) {}

  /** what was started; undefined before */
  get specification(): SandboxSpecification | undefined {
    return this.first;
  }

  describe(): TargetDescription {
    return this.options.describe(this.first);
  }

  async start(canaries: Canaries, signal: AbortSignal): Promise<RunningTarget> {
    const prepared = await this.options.prepare(canaries);
    this.first ??= prepared.specification;
    if (signal.aborted) throw new Cancelled('the proof was cancelled');
    return this.run(prepared, canaries);
  }

  /** The folder has been written to by everything that was tried. */
  async startAgain(canaries: Canaries, signal: AbortSignal): Promise<NextStart> {
    const prepared = await this.options.prepare(canaries).catch((error: unknown) => {
      if (error instanceof UserError) return undefined;
      throw error;
    });
    // a start that is refused is no weaker one
    if (!prepared || !this.first) return { isNotWeaker: true, marks: [], endsWhenFull: false };
    const isSame =
      isDeepStrictEqual(strengthOf(prepared.specification), strengthOf(this.first)) &&
      protects(prepared.specification, this.first);
    const { temporaryFiles } = prepared.specification;
    const specification = {
      ...prepared.specification,
      temporaryFiles: { ...temporaryFiles, limitBytes: littleRoom },
    };
    const running = await this.run({ ...prepared, specification }, canaries);
    try {
      const stream = new TerminalStream(running, signal);
      await stream.until('the next start was there', 60_000, (text) =>
        hasSaid(text, running.plan.token, 'ready'),
      );
      const marks = nextStartMarks.filter((name) => existsSync(`${canaries.workspace}/${name}`));
      running.send(`fill ${running.plan.token}\n`);
      // what runs inside may end by itself, which would prove nothing
      const full = formatMessage(tooLarge(littleRoom));
      const endsWhenFull = await Promise.race([
        running.ended.then((why) => why === full),
        delay(fullMilliseconds, false, { ref: false }),
      ]);
      return { isNotWeaker: isSame, marks, endsWhenFull };
    } finally {
      await running.stop();
    }
  }

  private async run(prepared: PreparedSandbox, canaries: Canaries): Promise<RunningTarget> {
    const { plan, encodedPlan, input } = probeInput(prepared, canaries);
    const { network } = input.specification;
    const { socket, runDirectory, pid } = await this.options.startSupervisor(input, canaries);
    hideInControl(runDirectory, canaries);
    const connection = await this.options.connect(socket, {
      patienceMilliseconds: firstPatienceMilliseconds,
    });
    return asTarget(connection, { plan, encodedPlan, network, hostPids: [pid], runDirectory });
  }
}

/** An agent's sandbox with the probes in its place, and a gateway that leads to the canaries, too. */
export interface ProbeInput extends Pick<RunningTarget, 'plan' | 'encodedPlan'> {
  readonly input: SupervisorInput;
}

/** @param prepared as for an agent in the folder with the canaries */
export function probeInput({ specification, secrets }: PreparedSandbox, canaries: Canaries): ProbeInput {
  const { home, image, network, access } = specification;
  const plan = canaries.plan({
    agentHome: home.kind === 'folder' ? home.folder.path : undefined,
    image: image.path,
    modelProvider: network === 'open' ? undefined : canaryProvider,
    mayTryRoutes: network !== 'open',
  });
  const encodedPlan = encodePlan(plan);
  const input: SupervisorInput = {
    specification: {
      ...specification,
      kind: 'probes',
      probePlan: encodedPlan,
      access: {
        ...access,
        allowedHosts: [...access.allowedHosts, ...canaries.allowedHosts],
        models: [...access.models, canaries.model.upstream],
      },
      // whoever asked for it may go away
      detachedTimeoutMilliseconds: 0,
      deadlineMilliseconds,
    },
    secrets: { ...secrets, modelKeys: { ...secrets.modelKeys, [canaryProvider]: canaries.modelKey } },
  };
  return { plan, encodedPlan, input };
}

function asTarget(
  connection: SandboxConnection,
  about: Pick<RunningTarget, 'plan' | 'encodedPlan' | 'network' | 'hostPids'> & { runDirectory: string },
): RunningTarget {
  let parsed = 0;
  let holds = false;
  const ended = new Promise<string>((resolve) => {
    connection.onClosed(() => {
      const { end } = connection.status;
      resolve(end?.explanation ? formatMessage(end.explanation) : (end?.reason ?? 'nobody knows why'));
    });
  });
  return {
    ...about,
    ended,
    onOutput: (listener) => {
      connection.onOutput((data) => {
        parsed += data.length;
        if (!holds) connection.acknowledge(parsed);
        listener(data);
      });
      void connection.attachTerminal(dimensions).catch(() => undefined);
    },
    send: (text) => connection.sendInput(text),
    holdBack: (isHeld) => {
      holds = isHeld;
      if (!holds) connection.acknowledge(parsed);
    },
    networkEntries: () => networkLogOf(connection),
    stop: async () => {
      await connection.stop();
      connection.dispose();
    },
  };
}

/** A supervisor on a busy computer may be late; without its log nothing of the gateway could be judged. */
async function networkLogOf(connection: SandboxConnection): Promise<readonly NetworkEntry[]> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const entries = await connection.networkLog().catch(() => undefined);
    if (entries) return entries;
  }
  return [];
}

/**
 * Everything that a sandbox is made of, without what is new in each start, and what the folder's own files may have
 * changed: their identities, and that more of them are protected.
 */
function strengthOf(specification: SandboxSpecification): object {
  const { id, undo, workspace, home, protectedPaths, ...rest } = specification;
  return { ...rest, workspace: workspace.path, home: home.kind === 'folder' ? home.folder.path : home.kind };
}

function protects({ protectedPaths = [] }: SandboxSpecification, first: SandboxSpecification): boolean {
  const names = new Set(protectedPaths.map(({ path }) => path));
  return (first.protectedPaths ?? []).every(({ path }) => names.has(path));
}
