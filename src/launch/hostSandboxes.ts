import { isAlive, type SandboxIndexEntry } from '../host/sandboxIndex';
import type { SandboxStatus, SandboxSummary } from '../supervisor/protocol';
import type { SandboxConnection, Unsubscribe } from './connection';

/**
 * `asking`: it was found just now. `starting`: its supervisor does not listen yet. `otherVersion`: its supervisor
 * speaks another version of the protocol.
 */
export type Answer = 'asking' | 'starting' | 'answering' | 'notAnswering' | 'otherVersion';

/** A sandbox of this host, as the index knows it and as its supervisor answers. */
export interface HostSandbox {
  readonly entry: SandboxIndexEntry;
  readonly answer: Answer;
  /** what its supervisor says, while it answers */
  readonly live?: { readonly summary: SandboxSummary; readonly status: SandboxStatus };
}

export interface HostSandboxesOptions {
  /** the index of this host, the dead ones too */
  readonly entries: () => Promise<readonly SandboxIndexEntry[]>;
  /** calls back after the index has changed; `onFailure` when that can't be noticed (any more) */
  readonly watch: (listener: () => void, onFailure: (error: unknown) => void) => Promise<Unsubscribe>;
  /** connects only to look; fails after {@link answerMilliseconds} */
  readonly connect: (socket: string) => Promise<SandboxConnection>;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/** A supervisor that does not answer within this time is listed as one that does not. */
export const answerMilliseconds = 1500;

/** How often those are asked again that did not answer: one that was stopped may go on. */
const askAgainMilliseconds = 3000;

interface Item {
  entry: SandboxIndexEntry;
  answer: Answer;
  connection: SandboxConnection | undefined;
  isBeingAsked: boolean;
  hasEnded: boolean;
}

/**
 * All sandboxes of this host, of whatever folder and window, for as long as somebody looks at them. It only looks:
 * no sandbox lives longer because of it.
 */
export class HostSandboxes {
  private readonly items = new Map<string, Item>();
  private unwatch: (() => void) | undefined;

  constructor(private readonly options: HostSandboxesOptions) {}

  /** Those that have not ended, in the order of the index. Empty while nobody looks. */
  list(): readonly HostSandbox[] {
    return [...this.items.values()]
      .filter(({ hasEnded }) => !hasEnded)
      .map(({ entry, answer, connection }) => ({
        entry,
        answer,
        ...(connection &&
          answer === 'answering' && { live: { summary: connection.summary, status: connection.status } }),
      }));
  }

  /** Somebody looks from now on. */
  start(): void {
    if (this.unwatch) {
      return;
    }
    const { onError } = this.options;
    const refresh = (): void => void this.refresh().catch(onError);
    const timer = setInterval(refresh, askAgainMilliseconds);
    const watching = this.options.watch(refresh, onError).catch((error: unknown) => {
      onError(error);
      return () => undefined;
    });
    this.unwatch = () => {
      clearInterval(timer);
      void watching.then((unsubscribe) => unsubscribe());
    };
    refresh();
  }

  /** Nobody looks any more. */
  stop(): void {
    this.unwatch?.();
    this.unwatch = undefined;
    this.items.forEach(letGo);
    this.items.clear();
  }

  private async refresh(): Promise<void> {
    const entries = await this.options.entries();
    if (!this.unwatch) {
      return;
    }
    const present = new Set(entries.map(({ id }) => id));
    for (const [id, item] of this.items) {
      if (!present.has(id)) {
        letGo(item);
        this.items.delete(id);
      }
    }
    for (const entry of entries) {
      const item = this.items.get(entry.id) ?? newItem(entry);
      item.entry = entry;
      this.items.set(entry.id, item);
      void this.ask(item);
    }
    this.options.onChange();
  }

  private async ask(item: Item): Promise<void> {
    if (item.connection || item.hasEnded || item.isBeingAsked) {
      return;
    }
    item.isBeingAsked = true;
    const answer = await this.answerOf(item);
    item.isBeingAsked = false;
    if (this.items.get(item.entry.id) !== item) {
      letGo(item);
    } else if (item.answer !== answer) {
      item.answer = answer;
      this.options.onChange();
    }
  }

  private async answerOf(item: Item): Promise<Answer> {
    if (item.entry.isStarting === true) {
      return (await isAlive(item.entry)) ? 'starting' : 'notAnswering';
    }
    try {
      const connection = await this.options.connect(item.entry.socket);
      const answer = connection.restriction ? 'otherVersion' : 'answering';
      item.answer = answer;
      this.follow(item, connection);
      return answer;
    } catch {
      return 'notAnswering';
    }
  }

  private follow(item: Item, connection: SandboxConnection): void {
    item.connection = connection;
    const look = (): void => {
      item.hasEnded = connection.status.phase === 'ended';
      this.options.onChange();
    };
    connection.onStatus(look);
    connection.onClosed(() => {
      item.connection = undefined;
      if (this.items.get(item.entry.id) === item && !item.hasEnded) {
        item.answer = 'asking';
        void this.ask(item);
        this.options.onChange();
      }
    });
    look();
  }
}

function letGo({ connection }: Item): void {
  connection?.dispose();
}

function newItem(entry: SandboxIndexEntry): Item {
  return { entry, answer: 'asking', connection: undefined, isBeingAsked: false, hasEnded: false };
}
