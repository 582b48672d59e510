import { EventEmitter } from 'node:events';
import { identifyProcess, type ProcessIdentity } from '../host/processIdentity';
import { removeContainerSide } from '../host/runDirectory';
import { gateDeniedStatus, hasCompanion, type LaunchPlan } from '../sandbox/launchPlan';
import type { RunDirectory } from '../sandbox/runDirectory';
import { runsOpencode, type SandboxSpecification } from '../sandbox/specification';
import { unsuitableOpencode } from '../sandbox/startFailures';
import type { JudgedPhase, Verdict } from '../sandbox/verdict';
import { serveCompanion, type CompanionChannel } from './companionChannel';
import { companionOrder } from './companionOrder';
import type { ContainerProcesses } from './containerProcesses';
import { endContainer, sweepSession } from './ending';
import { waitAtGate, type WaitingContainer } from './gate';
import type { SandboxEnd, SandboxPhase, SandboxStatus } from './protocol';
import { endRemains, noteRemains, type ContainerRemains } from './remains';
import { brokenFact, gatewayFailed, notGone, notVerifiable, tooSlow } from './sandboxEnds';
import { explainStarterEnd } from './starterEnd';
import { Verification } from './verification';

/** How often a running container is verified again. */
const verifyMilliseconds = 2000;

/** How long Apptainer may take to bring a container to its gate: a cold image on a slow disk needs seconds. */
const gateMilliseconds = 120_000;

/** How long our companion may take to start in the image's Bun: 0.1 s, seconds from a cold disk (measured). */
const companionMilliseconds = 60_000;

/** How much of what Apptainer prints before the gate is kept to explain a failure, in UTF-16 units. */
const keptDiagnostics = 16_384;

/** The process that was started as `apptainer`, as far as the sandbox needs it; node-pty's IPty fits. */
export interface StarterProcess {
  readonly pid: number;
  onData(listener: (data: string) => void): void;
  onExit(listener: (exit: { exitCode: number; signal?: number | undefined }) => void): void;
}

/** What a sandbox needs of its gateway. */
export interface ContainerGateway {
  /** resolves when it listens and opencode is told where */
  prepare(): Promise<void>;
  /** resolves when nobody is listened to any more */
  close(): Promise<void>;
}

interface SandboxEvents {
  status: [SandboxStatus];
  /** the container waits at its gate: what must be gone for it to be gone */
  container: [ContainerRemains];
}

/**
 * One sandbox from its start to its end: held at the gate, verified, let go, verified again and again, ended. It
 * ends once, for one reason; whatever else happens meanwhile changes nothing.
 */
export class Sandbox extends EventEmitter<SandboxEvents> {
  private phase: SandboxPhase = 'starting';
  private finalEnd: SandboxEnd | undefined;
  private ending: Promise<SandboxEnd> | undefined;
  private container: ContainerProcesses | undefined;
  private companion: CompanionChannel | undefined;
  private remains: ContainerRemains | undefined;
  private readonly verification: Verification;
  private diagnostics = '';
  private exitCode: number | undefined;
  private starterSignal: number | undefined;
  /** the process that was started as `apptainer` */
  readonly starterIdentity: ProcessIdentity;
  private timers: NodeJS.Timeout[] = [];
  private readonly starterGone = new AbortController();
  private readonly exited: Promise<void>;
  /** resolves when nothing of the sandbox is left */
  readonly ended: Promise<SandboxEnd>;
  private resolveEnded: (end: SandboxEnd) => void = () => undefined;

  constructor(
    private readonly specification: SandboxSpecification,
    private readonly run: RunDirectory,
    plan: LaunchPlan,
    private readonly starter: StarterProcess,
    private readonly gateway: ContainerGateway,
    /** resolves when the agent may begin to write */
    private readonly mayOpen: Promise<void> = Promise.resolve(),
  ) {
    super();
    this.verification = new Verification(plan.expectation, specification.network);
    this.starterIdentity = identifyProcess(starter.pid) ?? { pid: starter.pid, startTime: '0' };
    this.ended = new Promise((resolve) => {
      this.resolveEnded = resolve;
    });
    this.exited = new Promise((resolve) => {
      starter.onExit(({ exitCode, signal }) => {
        this.exitCode = signal ? 128 + signal : exitCode;
        this.starterSignal = signal;
        this.starterGone.abort();
        resolve();
        void this.end(this.endOfStarter());
      });
    });
    starter.onData((data) => {
      if (this.phase === 'starting') {
        this.diagnostics = (this.diagnostics + data).slice(-keptDiagnostics);
      }
    });
  }

  get status(): SandboxStatus {
    const { verdict } = this.verification;
    return {
      phase: this.phase,
      ...(verdict && { verdict }),
      ...(this.finalEnd && { end: this.finalEnd }),
    };
  }

  /** Takes the container through its gate. Resolves when it runs or when it has ended. */
  async start(): Promise<void> {
    const patience = setTimeout(
      () => void this.end({ reason: 'failed', explanation: tooSlow }),
      gateMilliseconds,
    );
    const waiting = await waitAtGate(this.starter.pid, this.run.gate, this.starterGone.signal);
    clearTimeout(patience);
    if (!waiting || this.phase !== 'starting') {
      waiting?.deny();
      return;
    }
    this.container = waiting.container;
    this.remains = noteRemains(waiting.container);
    this.emit('container', this.remains);
    this.verification.meet(waiting.container);
    await Promise.race([this.mayOpen, this.exited]);
    // that may have taken minutes, and what is judged is the present
    await this.verification.findHostServices();
    if (this.phase !== 'starting') {
      waiting.deny();
      return;
    }
    if (this.verify('gate') !== 'isolated') {
      waiting.deny();
      await this.end({ reason: 'refused', explanation: brokenFact(this.verification.verdict) });
      return;
    }
    await this.letGo(waiting);
  }

  /** Ends the sandbox; resolves when nothing of it is left. The first reason given stays. */
  end(end: SandboxEnd): Promise<SandboxEnd> {
    this.ending ??= this.carryOutEnd(end);
    return this.ending;
  }

  private async letGo(waiting: WaitingContainer): Promise<void> {
    try {
      await this.gateway.prepare();
    } catch {
      waiting.deny();
      await this.end({ reason: 'failed', explanation: gatewayFailed });
      return;
    }
    if (hasCompanion(this.specification, this.run)) {
      const order = companionOrder(this.specification, this.run);
      this.companion = await serveCompanion(this.run.companionSocket, order);
    }
    if (this.phase !== 'starting') {
      this.companion?.close();
      waiting.deny();
      return;
    }
    waiting.open();
    this.setPhase('running');
    this.timers.push(setInterval(() => this.verifyAgain(), verifyMilliseconds));
    if (runsOpencode(this.specification.kind)) {
      this.timers.push(setTimeout(() => this.missCompanion(), companionMilliseconds));
    }
    const deadline = this.specification.deadlineMilliseconds;
    if (deadline !== undefined) {
      this.timers.push(setTimeout(() => void this.end({ reason: 'deadline' }), deadline));
    }
  }

  private missCompanion(): void {
    if (this.companion?.hasCome() === false) {
      void this.end({ reason: 'failed', explanation: unsuitableOpencode });
    }
  }

  private verifyAgain(): void {
    void this.verification.findHostServices();
    if (this.phase !== 'running') return;
    const state = this.verify('running');
    if (state === 'broken') {
      void this.end({ reason: 'broken', explanation: brokenFact(this.verification.verdict) });
    }
    if (this.verification.isBlind) {
      void this.end({ reason: 'failed', explanation: notVerifiable });
    }
  }

  /** @returns undefined when nothing could be read */
  private verify(phase: JudgedPhase): Verdict['state'] | undefined {
    const verdict = this.verification.verify(phase);
    if (verdict) this.emit('status', this.status);
    return verdict?.state;
  }

  private endOfStarter(): SandboxEnd {
    const { specification, companion, diagnostics } = this;
    return explainStarterEnd({
      specification,
      wasAtGate: this.phase !== 'starting',
      // a shell's companion need not come: its image may be without opencode
      companionCame: runsOpencode(specification.kind) ? companion?.hasCome() : undefined,
      exitCode: this.exitCode ?? 0,
      signal: this.starterSignal,
      diagnostics,
    });
  }

  private async carryOutEnd(end: SandboxEnd): Promise<SandboxEnd> {
    this.setPhase('stopping');
    this.timers.forEach((timer) => clearTimeout(timer));
    // its failure keeps nothing alive: it ends with the supervisor at the latest
    const gatewayClosed = this.gateway.close().catch(() => undefined);
    if (!this.starterGone.signal.aborted) {
      const { container, companion, exited } = this;
      await endContainer({ starter: this.starter.pid, container, companion, exited });
    }
    // also when Apptainer can't be killed (stuck in the kernel): nobody waits at the gate any more
    this.starterGone.abort();
    // the starter may have been ended by the agent, and its container not
    const { isGone = true, seen } = (this.remains && (await endRemains(this.remains))) ?? {};
    sweepSession(this.starterIdentity, seen);
    this.companion?.close();
    await gatewayClosed;
    this.removeTraces();
    const { exitCode } = this;
    const ran = exitCode !== undefined && exitCode !== gateDeniedStatus && end.reason !== 'refused';
    this.finalEnd = { ...(ran && { exitCode }), ...(!isGone && { explanation: notGone }), ...end };
    this.setPhase('ended');
    this.resolveEnded(this.finalEnd);
    return this.finalEnd;
  }

  private removeTraces(): void {
    try {
      removeContainerSide(this.run);
    } catch {
      // the next sweep of the index tries again; the end must be told all the same
    }
  }

  private setPhase(phase: SandboxPhase): void {
    this.phase = phase;
    this.emit('status', this.status);
  }
}
