import type { BigIntStats } from 'node:fs';
import { isClosed } from '../host/closedFolder';
import { BoundChanges } from './boundChanges';
import type { BoundPath } from './boundPaths';
import { examine, type GuardedFolder, isEntered, isOrdinary } from './examine';
import type { Findings } from './findings';
import type { GuardState } from './guardState';
import type { GuardStore } from './guardStore';
import { Learning } from './learning';
import type { Mark } from './mark';
import type { SeenEntry } from './scanTree';

export interface SightingsOptions {
  readonly folder: GuardedFolder;
  readonly findings: Findings;
  readonly store: GuardStore;
  /** by which bind no sandbox can write there, both below the workspace; undefined: one can */
  readonly boundBy: (path: string) => BoundPath | undefined;
  /** how much is learnt; as {@link Learning} has it unless a test says otherwise */
  readonly mostKnownBytes?: number;
  /** something else is in the place of a folder */
  readonly onReplaced: (path: string) => void;
  /** the list of findings has changed */
  readonly onChange: () => void;
  /** not all that was looked at could be seen, or kept */
  readonly onPartial: () => void;
}

/** How a look takes what it sees: as known, or to be compared with what is known. */
export type Look = 'learn' | 'compare';

/** What is seen of the entries of a workspace, wherever a look comes by, becomes what is known of it, or a finding. */
export class Sightings {
  /** as it was given, with which folders in it are crowded */
  readonly folder: GuardedFolder;
  /** device and inode of the folders, by their path */
  private readonly folders = new Map<string, string>();
  private readonly bound: BoundChanges;
  /** folders that hold more than is looked at */
  private readonly crowded = new Set<string>();
  /** while all is learnt anew */
  private learning: Learning | undefined;
  private ignoresExecutables = false;

  constructor(private readonly options: SightingsOptions) {
    this.bound = new BoundChanges(options.boundBy);
    this.folder = { ...options.folder, isCrowded: (path) => this.crowded.has(path) };
  }

  /** Goes on from what was known. */
  load({ marks, findings, unkept, ignoresExecutables }: GuardState): void {
    this.options.findings.load(marks, findings, unkept);
    this.ignoresExecutables = ignoresExecutables;
  }

  /** What is known, to be kept. */
  state(): Pick<GuardState, 'marks' | 'findings' | 'unkept' | 'ignoresExecutables'> {
    const { ignoresExecutables } = this;
    const { findings } = this.options;
    const { marks, unkept } = findings;
    return { marks: new Map(marks), findings: findings.all(), unkept, ignoresExecutables };
  }

  /** Takes all as known that a scan sees, in the place of what was. @returns what the scan returns */
  async learnAll(scan: () => Promise<boolean>): Promise<boolean> {
    const { findings } = this.options;
    const learning = new Learning(new Map(findings.marks), this.options.mostKnownBytes);
    for (const path of learning.earlier.keys()) findings.learn(path, undefined);
    this.learning = learning;
    const isComplete = await scan().finally(() => (this.learning = undefined));
    this.ignoresExecutables = learning.ignoresExecutables;
    const used = [...findings.marks.values()].flatMap(({ kept }) => kept ?? []);
    await this.options.store.keepAll(learning.contents, new Set(used));
    return isComplete;
  }

  /**
   * Compares all that a scan sees with what is known.
   * @param scan gets a set, to add the paths to that it sees
   * @returns what the scan returns: whether it came to the end
   */
  async compareAll(scan: (seen: Set<string>) => Promise<boolean>): Promise<boolean> {
    const { findings } = this.options;
    const seen = new Set<string>();
    const { unkept } = findings;
    findings.countAnew();
    let isComplete = false;
    try {
      isComplete = await scan(seen);
    } finally {
      // perhaps it has not come to where they are
      if (!isComplete) findings.countAnew(Math.max(unkept, findings.unkept));
    }
    if (isComplete) this.missed('', seen);
    return isComplete;
  }

  /** @returns undefined when there is nothing to wait for */
  see(entry: SeenEntry, look: Look): Promise<void> | undefined {
    const { path, stats } = entry;
    const { findings } = this.options;
    const inode = inodeOf(stats);
    const before = this.folders.get(path) ?? findings.latest(path)?.identity;
    if (before !== undefined && before !== inode && !before.startsWith(`${inode} `)) {
      this.bound.noteReplaced(path);
      if (this.folders.has(path)) this.options.onReplaced(path);
    }
    if (stats.isDirectory()) {
      this.folders.set(path, inode);
      if (isClosed(stats) && isEntered(path, this.folder)) this.options.onPartial();
    }
    this.learning?.see(stats);
    const isKnown = findings.latest(path) !== undefined;
    return isOrdinary(path, stats, this.folder) && !isKnown ? undefined : this.judge(entry, look);
  }

  /** Nothing is at a path any more. */
  gone(path: string): void {
    const wasFolder = this.folders.delete(path);
    if (wasFolder) this.bound.noteReplaced(path);
    if (this.options.findings.gone(path, wasFolder)) this.options.onChange();
  }

  /** Findings whose path begins so were not seen: they are gone. */
  missed(beginning: string, seen: ReadonlySet<string>): void {
    const { findings, onChange } = this.options;
    for (const { path } of findings.all()) {
      if (path.startsWith(beginning) && !seen.has(path) && findings.gone(path)) onChange();
    }
  }

  /** A folder was listed: that it holds too much is found, and that it does no more. */
  listed(path: string, isCrowded: boolean, look: Look): void {
    if (this.crowded.has(path) === isCrowded) return;
    if (isCrowded) this.crowded.add(path);
    else this.crowded.delete(path);
    // the top has no name
    if (path === '') return;
    const latest = this.options.findings.latest(path);
    const identity = this.folders.get(path) ?? '';
    const mark = { rule: 'crowded', kind: 'folder', identity, content: 'crowded' } as const;
    if (isCrowded || latest?.rule === 'crowded') this.note(path, isCrowded ? mark : undefined, look);
  }

  /** Takes what is at a path now as known, or compares it. */
  note(path: string, now: Mark | undefined, look: Look): void {
    const { findings, onChange, onPartial } = this.options;
    if (look === 'compare') {
      if (findings.compare(path, now, Date.now())) onChange();
    } else if (now && this.learning?.takeRoomFor(path) === false) {
      onPartial();
    } else {
      findings.learn(path, now);
    }
  }

  /** Whether it is the folder that was seen at this path the last time. */
  isSameFolder(path: string, stats: BigIntStats): boolean {
    return this.folders.get(path) === inodeOf(stats);
  }

  /** No folder is at a path any more. @returns whether one was seen there */
  forgetFolder(path: string): boolean {
    return this.folders.delete(path);
  }

  /** Nothing tells of changes any more. */
  forgetFolders(): void {
    this.folders.clear();
    this.bound.forget();
  }

  /** It was verified again where sandboxes can't write. */
  takeBound(): void {
    this.bound.settle((path, now, isUsers) => this.note(path, now, isUsers ? 'learn' : 'compare'));
  }

  private async judge({ path, place, stats }: SeenEntry, look: Look): Promise<void> {
    const known = this.options.findings.latest(path) ?? this.learning?.earlier.get(path);
    const examined = await examine(path, place, stats, this.folder, known);
    const isBound = this.bound.isBound(path);
    const mayKeep = look === 'learn' || isBound;
    const content = mayKeep ? examined?.content : undefined;
    const learning = look === 'learn' ? this.learning : undefined;
    // what can't be kept is not shown beside what it becomes: a full disk must stop no look
    const keep = (one: Buffer): Promise<string | undefined> =>
      this.options.store.keep(one).catch(() => undefined);
    const kept = content && (learning ? learning.add(content) : await keep(content));
    const isPlain = examined?.mark.rule === 'executable' && this.ignoresExecutables;
    const now =
      isPlain || !examined ? undefined : { ...examined.mark, ...(kept === undefined ? {} : { kept }) };
    if (look === 'compare' && isBound) this.bound.wait(path, now);
    else this.note(path, now, look);
  }
}

function inodeOf({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`;
}
