import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { digestOf } from '../host/fileDigest';
import { identifyTarget } from '../host/fileIdentity';
import { identifyProcess } from '../host/processIdentity';
import { pruneRunRecords, readRunRecords, writeRunRecord, type RunRecord } from '../host/runRecords';
import type { LaunchPlan } from '../sandbox/launchPlan';
import type { FileIdentity, SandboxSpecification } from '../sandbox/specification';
import type { Verdict } from '../sandbox/verdict';
import type { SandboxStatus } from './protocol';
import type { DeniedHosts } from './sandboxGateway';

/** A sandbox whose verdict goes to and fro for days must not grow its record without end: the first and the last stay. */
const keptVerdicts = 100;

/** Hosts that were denied; an agent can make up any number of names. */
const keptHosts = 100;

/** An agent has started by then, and needs the disk less. */
const digestDelayMilliseconds = 15_000;

/** About a second on a disk of 1 GB/s; a larger image is told by its path, inode, size and time alone. */
const largestDigestedBytes = 2n ** 30n;

export interface RecorderOptions {
  readonly extensionVersion: string;
  /** told when the record could not be written: the sandbox goes on without */
  readonly onFailure: (error: unknown) => void;
}

/** Keeps the record of one run up to date on the disk. */
export class RunRecorder {
  private record: RunRecord;
  private lastWrite: Promise<void> = Promise.resolve();
  private readonly reading = new AbortController();

  constructor(
    private readonly directory: string,
    private readonly specification: SandboxSpecification,
    plan: LaunchPlan,
    private readonly options: RecorderOptions,
  ) {
    const { id, kind, workspace, image, network } = specification;
    this.record = {
      id,
      kind,
      workspace: workspace.path,
      image,
      network,
      extensionVersion: options.extensionVersion,
      hostName: hostname(),
      supervisor: identifyProcess(process.pid) ?? { pid: process.pid, startTime: '0' },
      argv: [plan.file, ...plan.arguments],
      environmentNames: Object.keys(plan.environment),
      startedAt: Date.now(),
      verdicts: [],
    };
    this.write(() => pruneRunRecords(directory));
    void this.addDigest();
  }

  /** Notes what changed. @param denied hosts that the agent tried to reach so far */
  follow({ verdict, end }: SandboxStatus, denied: DeniedHosts): void {
    const { verdicts } = this.record;
    const last = verdicts.at(-1);
    const present = verdict && summarise(verdict);
    const isNew = present && (last?.state !== present.state || !sameFacts(last.facts, present.facts));
    if (isNew) {
      // the last one stays, too: it may be why the sandbox was ended
      this.record = { ...this.record, verdicts: [...verdicts.slice(0, keptVerdicts - 1), present] };
      this.write();
    }
    if (end && !this.record.end) {
      const { reason, exitCode } = end;
      this.record = {
        ...this.record,
        end: { time: Date.now(), reason, ...(exitCode !== undefined && { exitCode }) },
        ...recordedHosts(denied),
      };
      this.write();
    }
  }

  /** Resolves when everything is on the disk that was noted. */
  async close(): Promise<void> {
    this.reading.abort();
    await this.lastWrite;
  }

  private write(afterwards: () => Promise<void> = () => Promise.resolve()): void {
    const { record } = this;
    this.lastWrite = this.lastWrite
      .then(() => writeRunRecord(this.directory, record))
      .then(afterwards)
      .catch(this.options.onFailure);
  }

  /** Notes the image's digest: that of an earlier run with the very same file, or by reading it once. */
  private async addDigest(): Promise<void> {
    const { path, identity } = this.specification.image;
    try {
      const earlier = (await readRunRecords(this.directory)).find(
        ({ image }) => image.sha256 !== undefined && isSame(image.identity, identity),
      );
      const sha256 = earlier?.image.sha256 ?? (await this.digestLater(path, identity));
      if (sha256 !== undefined) {
        this.record = { ...this.record, image: { path, identity, sha256 } };
        this.write();
      }
    } catch (error) {
      if (!this.reading.signal.aborted) {
        this.options.onFailure(error);
      }
    }
  }

  private async digestLater(path: string, identity: FileIdentity): Promise<string | undefined> {
    if (BigInt(identity.size) > largestDigestedBytes) {
      return undefined;
    }
    await delay(digestDelayMilliseconds, undefined, { signal: this.reading.signal });
    const sha256 = await digestOf(path, this.reading.signal);
    const present = identifyTarget(path);
    return present && isSame(present, identity) ? sha256 : undefined;
  }
}

function recordedHosts({
  hosts,
  leftOff,
}: DeniedHosts): Pick<RunRecord, 'deniedHosts' | 'deniedHostsLeftOff'> {
  const deniedHosts = hosts.slice(0, keptHosts);
  const others = leftOff + hosts.length - deniedHosts.length;
  return { deniedHosts, ...(others > 0 && { deniedHostsLeftOff: others }) };
}

function summarise({ time, state, lines }: Verdict): RunRecord['verdicts'][number] {
  const facts = lines.flatMap(({ fact, status }) => (status === 'holds' ? [] : [{ fact, status }]));
  return { time, state, facts };
}

function sameFacts(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.device === other.device &&
    one.inode === other.inode &&
    one.size === other.size &&
    one.changedTime === other.changedTime
  );
}
