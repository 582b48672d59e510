import { EventEmitter } from 'node:events';
import { SnapshotError } from '../host/snapshot/snapshotError';
import { type Running, startSnapshotWork } from '../host/snapshot/snapshotThread';
import { readIndexEntries } from '../host/sandboxIndex';
import { noteBegin, noteEnd } from '../host/snapshot/runNotes';
import { storeOf } from '../host/snapshot/store';
import { type Message, message } from '../sandbox/message';
import type { SandboxSpecification, UndoSpecification } from '../sandbox/specification';
import { fromText } from '../snapshot/bytePath';
import { maximumFileBytes } from '../snapshot/manifest';
import type { UndoStatus } from './protocol';

interface UndoEvents {
  status: [UndoStatus];
}

/** How often progress is told. */
const progressMilliseconds = 500;

/**
 * Notes what is in the workspace while the container starts, and says when the agent may begin. That it may write there,
 * and until when, is noted in any case: the next snapshot believes no rule of that time.
 */
export class UndoKeeper extends EventEmitter<UndoEvents> {
  private present: UndoStatus | undefined;
  private readonly stopping = new AbortController();
  private running: Running<'take'> | undefined;
  private toldAt = -Infinity;
  /** what is still being done */
  private readonly works: Promise<void>[] = [];
  private open: () => void = () => undefined;
  private readonly begun = Date.now();
  private readonly begunBySteadyClock = performance.now();
  /** resolves when all can be undone, or somebody wants to go on without, or nobody asked for it */
  readonly mayOpen: Promise<void>;

  /** Begins at once. */
  constructor(
    private readonly specification: Pick<
      SandboxSpecification,
      'id' | 'workspace' | 'indexDirectory' | 'undo'
    >,
  ) {
    super();
    this.mayOpen = new Promise((resolve) => {
      this.open = resolve;
    });
    const { undo } = specification;
    this.works.push(undo && undo.maximumBytes > 0 ? this.take(undo) : this.openWithout());
  }

  /** @returns undefined when nobody asked for it */
  get status(): UndoStatus | undefined {
    return this.present;
  }

  /** Somebody does not want to wait. What can be undone by now stays so. */
  startWithoutUndo(): void {
    if (this.present?.state === 'taking' || this.present?.state === 'failed') {
      this.become({ state: 'without' });
      this.stopping.abort();
      this.works.push(this.openWithout());
    }
  }

  /** The sandbox is over. Resolves when nothing works on the snapshot any more. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.open();
    await Promise.all(this.works);
    await this.running?.over;
    const { store } = this;
    // without it the next snapshot takes what was changed since for the agent's
    if (store !== undefined) await tryTo(() => noteEnd(store, this.specification.id, this.endTime()));
  }

  /** Were the clock set back meanwhile, what the agent has made before that would seem to be younger than its end. */
  private endTime(): number {
    return Math.max(Date.now(), this.begun + Math.ceil(performance.now() - this.begunBySteadyClock));
  }

  private get store(): string | undefined {
    const { undo, workspace } = this.specification;
    return undo && storeOf(undo.directory, workspace.path);
  }

  /** Where that can't be noted, somebody was told so, or has switched undo off. */
  private async openWithout(): Promise<void> {
    const { store } = this;
    if (store !== undefined) await tryTo(() => noteBegin(store, this.specification.id, this.begun));
    this.open();
  }

  private async take(undo: UndoSpecification): Promise<void> {
    this.present = { state: 'taking', files: 0, bytes: 0 };
    const { id, indexDirectory, workspace } = this.specification;
    try {
      await noteBegin(storeOf(undo.directory, workspace.path), id, this.begun);
      const asked = Date.now();
      const living = (await readIndexEntries(indexDirectory)).map(({ id }) => id);
      this.running = this.begin(undo, living, asked);
      const summary = await this.running.result;
      if (this.stopping.signal.aborted) return;
      this.become({ state: 'ready', summary });
      this.open();
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.become({ state: 'failed', explanation: explain(error, undo.directory) });
    }
  }

  private begin(undo: UndoSpecification, living: readonly string[], asked: number): Running<'take'> {
    const { id, workspace } = this.specification;
    const { directory, maximumBytes, respectsIgnoreFiles, closed } = undo;
    const order = {
      workspace: workspace.path,
      store: storeOf(directory, workspace.path),
      closed: closed.map(fromText),
      id,
      reason: 'start',
      limits: { maximumBytes, maximumFileBytes, respectsIgnoreFiles },
      time: asked,
    } as const;
    return startSnapshotWork(
      { type: 'take', order, directory, living },
      { signal: this.stopping.signal, onProgress: (files, bytes) => this.progress(files, bytes) },
    );
  }

  private progress(files: number, bytes: number): void {
    if (this.present?.state !== 'taking') return;
    this.present = { state: 'taking', files, bytes };
    if (performance.now() - this.toldAt < progressMilliseconds) return;
    this.toldAt = performance.now();
    this.emit('status', this.present);
  }

  private become(status: UndoStatus): void {
    this.present = status;
    this.emit('status', status);
  }
}

async function tryTo(work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch {
    // the disk is full, or the store is gone
  }
}

function explain(error: unknown, directory: string): Message {
  return error instanceof SnapshotError && error.failure === 'noRoom'
    ? message('There is no room in {0} to note what is in the folder.', directory)
    : message('What is in the folder could not be noted in {0}.', directory);
}
