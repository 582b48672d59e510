import { identify } from '../host/fileIdentity';
import type { MessageLine } from '../opencode/sessions/lines';
import type { SessionProblem, SessionStore } from '../opencode/sessions/sessionStore';
import type { SessionSandbox } from '../sandbox/sessionPlan';
import type { SandboxSpecification } from '../sandbox/specification';
import { Cancelled } from '../sandbox/userError';
import type { TranscriptRequest } from './readerOrder';
import type { ScriptProcess } from './scriptProcess';
import { SessionReader } from './sessionReader';
import { sessionSandboxOf } from './sessionSandbox';
import { SessionWatch } from './sessionWatch';

export interface HomeSessionsOptions {
  /** the home, if there is one already */
  readonly findHome: () => Promise<string | undefined>;
  /** what a sandbox of the folder would be @throws UserError */
  readonly specify: () => Promise<SandboxSpecification>;
  readonly startScript: (
    sandbox: SessionSandbox,
    script: string,
    onLine: (line: string) => void,
  ) => Promise<ScriptProcess>;
  readonly onChange: () => void;
  readonly onLog: (line: string) => void;
  /** how often it is looked for a home that is not there yet */
  readonly pollMilliseconds?: number;
}

/** How often a home is looked for that is not there yet: the first start in a folder makes it. */
const usualPollMilliseconds = 1000;

/** Nobody looks: a moment is waited in case somebody comes back, because a start takes a second. */
const lingerMilliseconds = 30_000;

const stubborn: readonly (SessionProblem | undefined)[] = ['tooSlow', 'tooMuch', 'lost', 'noOpencode'];

/** File name of the bundled reader, see scripts/build.mjs. */
const readerScript = 'sessionReader.mjs';

/** The sessions of one folder's agent, read while somebody looks at them. */
export class HomeSessions {
  private readonly reader: SessionReader;
  private watch: SessionWatch | undefined;
  private homeState: 'unknown' | 'missing' | 'there' = 'unknown';
  private failure: unknown;
  private lingering: NodeJS.Timeout | undefined;
  private awaiting: NodeJS.Timeout | undefined;
  private isShown = false;
  private isDisposed = false;
  /** how many looks were begun, and the last of those that have found something, by its number */
  private looks = 0;
  private countedLook = 0;
  private lastLook: Promise<void> | undefined;
  /** device and inode of the folder that the reader was started with */
  private place: string | undefined;

  constructor(private readonly options: HomeSessionsOptions) {
    this.reader = new SessionReader({
      start: (onLine) => this.startReader(onLine),
      onChange: options.onChange,
      onLog: options.onLog,
    });
  }

  get store(): SessionStore {
    return this.reader.store;
  }

  /** Whether the agent has no home yet, or keeps it in memory; undefined until that is known. */
  get isEmpty(): boolean | undefined {
    return this.homeState === 'unknown' ? undefined : this.homeState === 'missing';
  }

  /** Why the sandbox that reads could not be started, if so. */
  get error(): unknown {
    return this.failure;
  }

  /** Somebody looks: reads, and reads again after every change. */
  show(): void {
    clearTimeout(this.lingering);
    if (this.isShown) return;
    this.isShown = true;
    void this.refresh();
  }

  /** Nobody looks any more. */
  hide(): void {
    this.isShown = false;
    this.unwatch();
    clearTimeout(this.awaiting);
    this.linger();
  }

  /** Reads anew. Never throws: what goes wrong is in {@link error}. */
  refresh(): Promise<void> {
    this.looks += 1;
    this.lastLook = this.look(this.looks);
    return this.lastLook;
  }

  /** @returns undefined when it could not be read @throws UserError */
  async transcript(request: TranscriptRequest): Promise<MessageLine[] | undefined> {
    if (this.isDisposed) return undefined;
    return this.reader.transcript(request);
  }

  /** Everything may have changed: the image, the home. */
  async restart(): Promise<void> {
    this.unwatch();
    await this.reader.close();
    if (this.isShown) await this.refresh();
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    this.hide();
    clearTimeout(this.lingering);
    await this.reader.close();
  }

  /** @param number of this look; where a later one has found something, this one changes nothing more */
  private async look(number: number): Promise<void> {
    const before = { homeState: this.homeState, failure: this.failure };
    const counts = (): boolean => !this.isDisposed && this.countedLook <= number;
    try {
      await this.readHome(number, counts);
      if (counts()) this.failure = undefined;
    } catch (error) {
      if (counts()) {
        this.countedLook = number;
        this.failure = error;
        await this.leave();
      }
    }
    // what the reader tells of is shown already
    if (this.homeState !== before.homeState || this.failure !== before.failure) this.options.onChange();
    if (this.countedLook > number) await this.lastLook;
  }

  private async readHome(number: number, counts: () => boolean): Promise<void> {
    const home = await this.options.findHome();
    const place = home === undefined ? undefined : await placeOf(home);
    if (!counts()) return;
    this.countedLook = number;
    this.homeState = home === undefined ? 'missing' : 'there';
    // the reader goes on with the folder that it was started with, also when another one is in its place
    if (place === undefined || (this.place !== undefined && this.place !== place)) await this.leave();
    if (!counts()) return;
    this.place = place;
    this.follow(home);
    if (home !== undefined) await this.reader.refresh();
  }

  /** A reader says no more of what it has told: it goes with that, before another one tells something. */
  private async leave(): Promise<void> {
    this.place = undefined;
    this.unwatch();
    this.store.clear();
    await this.reader.close();
  }

  /** What reads is ended in a while, unless somebody looks again. */
  private linger(): void {
    clearTimeout(this.lingering);
    this.lingering = setTimeout(() => void this.reader.close(), lingerMilliseconds);
  }

  private unwatch(): void {
    this.watch?.dispose();
    this.watch = undefined;
  }

  private follow(home: string | undefined): void {
    clearTimeout(this.awaiting);
    if (!this.isShown || this.watch) return;
    if (home === undefined) {
      const poll = this.options.pollMilliseconds ?? usualPollMilliseconds;
      this.awaiting = setTimeout(() => void this.lookForHome(), poll);
      return;
    }
    this.watch = new SessionWatch(home, () => {
      // what hung or lied once may do so at every change: then somebody has to ask
      if (!stubborn.includes(this.store.problem)) void this.refresh();
    });
  }

  /** The first start of an agent makes it. */
  private async lookForHome(): Promise<void> {
    const home = await this.options.findHome().catch(() => undefined);
    if (!this.isShown) return;
    if (home === undefined) this.follow(undefined);
    else await this.refresh();
  }

  private async startReader(onLine: (line: string) => void): Promise<ScriptProcess> {
    if (!this.isShown) this.linger();
    const sandbox = sessionSandboxOf(await this.options.specify(), false);
    if (this.isDisposed) throw new Cancelled('nobody looks at these sessions any more');
    return this.options.startScript(sandbox, readerScript, onLine);
  }
}

async function placeOf(home: string): Promise<string> {
  const { device, inode } = await identify(home);
  return `${device}:${inode}`;
}
