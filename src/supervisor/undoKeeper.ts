import { EventEmitter } from 'node:events';
import { SnapshotError } from '../host/snapshot/work';
import { type Running, startSnapshotWork } from '../host/snapshot/snapshotThread';
import { readIndexEntries } from '../host/sandboxIndex';
import { noteEnd } from '../host/snapshot/runEnds';
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

/** Notes what is in the workspace while the container starts, and says when the agent may begin. */
export class UndoKeeper extends EventEmitter<UndoEvents> {
  private present: UndoStatus | undefined;
  private readonly stopping = new AbortController();
  private running: Running<'take'> | undefined;
  private toldAt = 0;
  private open: () => void = () => undefined;
  /** resolves when all can be undone, or somebody wants to go on without */
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
    if (undo) void this.take(undo);
    else this.open();
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
      this.open();
    }
  }

  /** The sandbox is over. Resolves when nothing works on the snapshot any more. */
  async close(): Promise<void> {
    const { undo, id, workspace } = this.specification;
    this.stopping.abort();
    this.open();
    await this.running?.over;
    // without it the next snapshot takes what was changed since for the agent's
    if (undo && this.running) tryTo(() => noteEnd(storeOf(undo.directory, workspace.path), id, Date.now()));
  }

  private async take(undo: UndoSpecification): Promise<void> {
    this.present = { state: 'taking', files: 0, bytes: 0 };
    const { indexDirectory } = this.specification;
    try {
      const living = (await readIndexEntries(indexDirectory)).map(({ id }) => id);
      this.running = this.begin(undo, living);
      const summary = await this.running.result;
      if (this.stopping.signal.aborted) return;
      this.become({ state: 'ready', summary });
      this.open();
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.become({ state: 'failed', explanation: explain(error, undo.directory) });
    }
  }

  private begin(undo: UndoSpecification, living: readonly string[]): Running<'take'> {
    const { id, workspace } = this.specification;
    const { directory, maximumBytes, respectsIgnoreFiles, closed } = undo;
    const order = {
      workspace: workspace.path,
      store: storeOf(directory, workspace.path),
      closed: closed.map(fromText),
      id,
      reason: 'start',
      limits: { maximumBytes, maximumFileBytes, respectsIgnoreFiles },
      time: Date.now(),
    } as const;
    return startSnapshotWork(
      { type: 'take', order, directory, living },
      { signal: this.stopping.signal, onProgress: (files, bytes) => this.progress(files, bytes) },
    );
  }

  private progress(files: number, bytes: number): void {
    if (this.present?.state !== 'taking') return;
    this.present = { state: 'taking', files, bytes };
    if (Date.now() - this.toldAt < progressMilliseconds) return;
    this.toldAt = Date.now();
    this.emit('status', this.present);
  }

  private become(status: UndoStatus): void {
    this.present = status;
    this.emit('status', status);
  }
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // the disk is full, or the store is gone
  }
}

function explain(error: unknown, directory: string): Message {
  return error instanceof SnapshotError && error.failure === 'noRoom'
    ? message('There is no room in {0} to note what is in the folder.', directory)
    : message('What is in the folder could not be noted in {0}.', directory);
}
