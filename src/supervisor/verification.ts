import { findHostServices, listeningAbstractSockets, type HostService } from '../host/abstractSockets';
import { readProc } from '../host/procfs';
import { judge } from '../sandbox/judge';
import type { LaunchPlan } from '../sandbox/launchPlan';
import type { NetworkMode } from '../sandbox/specification';
import type { JudgedPhase, Verdict } from '../sandbox/verdict';
import { readContainerFacts } from './containerFacts';
import type { ContainerProcesses } from './containerProcesses';
import { readGateFacts, type GateFacts } from './gateFacts';

/** A sandbox of which nothing can be read for so many verdicts, 10 s, goes on without anybody knowing what it is. */
const mostFailedReadings = 5;

/** What is known of one container by its facts, which are read and judged at the gate, and then again and again. */
export class Verification {
  private container: ContainerProcesses | undefined;
  private atGate: GateFacts | undefined;
  private knownSockets: ReadonlySet<string> = new Set();
  private hostServices: readonly HostService[] = [];
  private latest: Verdict | undefined;
  /** in a row */
  private failedReadings = 0;

  constructor(
    private readonly expectation: LaunchPlan['expectation'],
    private readonly network: NetworkMode,
  ) {}

  /** The latest verdict. */
  get verdict(): Verdict | undefined {
    return this.latest;
  }

  /** Whether nothing could be read for too long. */
  get isBlind(): boolean {
    return this.failedReadings >= mostFailedReadings;
  }

  /** Reads what the process brought along that waits at the gate; from now on the container can be verified. */
  meet(container: ContainerProcesses): void {
    this.container = container;
    this.atGate = readGateFacts(container);
  }

  /** With an open network, services that appear later count from the next verdict on. */
  async findHostServices(): Promise<void> {
    if (this.network === 'open') {
      const sockets = listeningAbstractSockets(readProc('self/net/unix') ?? '');
      const news = sockets.filter(({ inode }) => !this.knownSockets.has(inode));
      this.knownSockets = new Set(sockets.map(({ inode }) => inode));
      const found = await findHostServices(news);
      this.hostServices = [...new Set([...this.hostServices, ...found])];
    }
  }

  /**
   * Reads the facts and judges them. A container that ended meanwhile leaves the old verdict, which grows stale.
   * @returns the new verdict; undefined when nothing could be read
   */
  verify(phase: JudgedPhase): Verdict | undefined {
    const { container, atGate } = this;
    const facts = container && atGate && readContainerFacts(container, atGate, this.hostServices);
    if (!facts) {
      this.failedReadings += 1;
      return undefined;
    }
    this.failedReadings = 0;
    this.latest = judge(facts, this.expectation, phase);
    return this.latest;
  }
}
