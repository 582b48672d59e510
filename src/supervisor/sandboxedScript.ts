import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { identifyProcess, killProcess, type ProcessIdentity } from '../host/processIdentity';
import { collectTail } from '../host/processOutput';
import { readProcLink } from '../host/procfs';
import { createRunDirectory, removeRunDirectory } from '../host/runDirectory';
import { toolEnvironment } from '../sandbox/hostEnvironment';
import { judge } from '../sandbox/judge';
import type { LaunchPlan } from '../sandbox/launchPlan';
import { message } from '../sandbox/message';
import type { RunDirectory } from '../sandbox/runDirectory';
import { seccompProfile } from '../sandbox/seccompProfile';
import { planSessionSandbox, type SessionSandbox } from '../sandbox/sessionPlan';
import { explainStartFailure } from '../sandbox/startFailures';
import { UserError } from '../sandbox/userError';
import { readContainerFacts } from './containerFacts';
import { sweepSession } from './ending';
import { waitAtGate, type WaitingContainer } from './gate';
import { readGateFacts } from './gateFacts';
import { startReaper, type Reaper } from './reaper';
import { endRemains, noteRemains, type ContainerRemains } from './remains';

/** As long as for an agent's container, see `sandbox.ts`. */
const gateMilliseconds = 120_000;
/** How long a script may take to end when its input has ended; it has nothing to put in order. */
const graceMilliseconds = 300;
const keptDiagnostics = 16_384;

/**
 * A script of ours in a container of its own, held at the gate and verified like an agent's before it runs. It is not
 * verified again while it runs: it is our own program, has no network, and sees nothing but the home and itself. Its
 * standard input and output are pipes to us, which is the one thing that it inherits.
 */
export class SandboxedScript {
  private remains: ContainerRemains | undefined;
  private closing: Promise<void> | undefined;
  private readonly exited: Promise<unknown>;

  private constructor(
    private readonly run: RunDirectory,
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly starter: ProcessIdentity,
    private readonly reaper: Reaper,
  ) {
    this.exited = once(child, 'close');
    child.stdin.on('error', () => undefined);
  }

  get input(): NodeJS.WritableStream {
    return this.child.stdin;
  }

  get output(): NodeJS.ReadableStream {
    return this.child.stdout;
  }

  /** Of Apptainer, and so of the script; null while it runs, or when it was killed. */
  get exitCode(): number | null {
    return this.child.exitCode;
  }

  /**
   * Starts a script and lets it go when its container is verified.
   * @param script path of the bundled script
   * @param changePlan makes another plan; tests take isolation away with it, to see it noticed
   * @throws UserError `sessions.…`; nothing is left then
   */
  static async start(
    sandbox: SessionSandbox,
    script: string,
    changePlan: (plan: LaunchPlan) => LaunchPlan = (plan) => plan,
  ): Promise<SandboxedScript> {
    const run = await createRunDirectory(
      sandbox.runDirectoryParents,
      { seccompProfile: seccompProfile(process.arch), opencodeConfiguration: {}, companion: script },
      () => Promise.resolve(),
    );
    let started: SandboxedScript | undefined;
    try {
      const plan = changePlan(
        planSessionSandbox(sandbox, run, toolEnvironment(sandbox.apptainer, process.env)),
      );
      const child = spawn(plan.file, plan.arguments, {
        cwd: '/',
        env: plan.environment,
        // leads a session: the reaper ends all of it
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      await Promise.race([
        once(child, 'spawn'),
        once(child, 'error').then(([error]) => Promise.reject(error as Error)),
      ]);
      const starter = identifyProcess(child.pid ?? 0) ?? { pid: child.pid ?? 0, startTime: '0' };
      const reaper = startReaper(starter, { runDirectory: run.path }, () => void started?.close());
      started = new SandboxedScript(run, child, starter, reaper);
      await started.passGate(plan);
      return started;
    } catch (error) {
      await started?.close();
      await removeRunDirectory(run.path);
      throw error;
    }
  }

  /** Ends the script and everything of its container; resolves when nothing is left. */
  close(): Promise<void> {
    this.closing ??= this.carryOutClose();
    return this.closing;
  }

  private async passGate(plan: LaunchPlan): Promise<void> {
    const diagnostics = collectTail(this.child.stderr, keptDiagnostics);
    const given = new AbortController();
    const timer = setTimeout(() => given.abort(), gateMilliseconds);
    void this.exited.then(() => given.abort());
    const waiting = await waitAtGate(this.starter.pid, this.run.gate, given.signal);
    clearTimeout(timer);
    if (!waiting) {
      const { text } = diagnostics.read();
      const options = { cause: new Error(text) };
      throw new UserError('sessions.notStarted', explainStartFailure(text), { kind: 'showLog' }, options);
    }
    this.remains = noteRemains(waiting.container);
    this.reaper.note([this.remains.init, ...this.remains.imageServers]);
    const obstacle = this.judgeAtGate(waiting, plan);
    if (obstacle) {
      waiting.deny();
      throw new UserError('sessions.notIsolated', obstacle);
    }
    waiting.open();
  }

  /** @returns what is wrong, if anything is */
  private judgeAtGate(
    { container }: WaitingContainer,
    plan: LaunchPlan,
  ): UserError['description'] | undefined {
    const gate = readGateFacts(container);
    // the pipes to us: they are what Apptainer itself was given
    const ours = [0, 1, 2].map((descriptor) => readProcLink(`${this.starter.pid}/fd/${descriptor}`));
    const streams = gate.streams?.filter(({ target }) => !ours.includes(target));
    const facts = readContainerFacts(container, { ...gate, streams }, []);
    if (!facts) return message('The container could not be verified.');
    const verdict = judge(facts, plan.expectation, 'gate');
    const line = verdict.lines.find(({ status }) => status !== 'holds');
    return line?.detail;
  }

  private async carryOutClose(): Promise<void> {
    const { child, exited, remains } = this;
    child.stdin.end();
    child.stdout.resume();
    const timer = setTimeout(() => this.kill(), remains === undefined ? 0 : graceMilliseconds);
    await exited;
    clearTimeout(timer);
    sweepSession(this.starter, remains && (await endRemains(remains)).seen);
    this.reaper.release();
    await removeRunDirectory(this.run.path);
  }

  private kill(): void {
    if (this.remains) killProcess(this.remains.init);
    else sweepSession(this.starter);
    // Apptainer itself may wait for a disk, and its pipes with it
    setTimeout(() => {
      sweepSession(this.starter);
      this.child.stdout.destroy();
      this.child.stderr.destroy();
    }, 1000).unref();
  }
}
