import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import type { GuardState } from './guardState';
import type { GuardStore } from './guardStore';

export interface GuardMemoryOptions {
  readonly store: GuardStore;
  /** real path */
  readonly workspace: string;
  /** what is known now */
  readonly known: () => Omit<GuardState, 'isUnsettled' | 'workspace'>;
  /** goes on from what another window has found out, or what was known earlier */
  readonly take: (state: GuardState) => void;
  readonly onError: (error: unknown) => void;
}

/** What is known of a workspace, between what a window knows and what is kept for others and for later. */
export class GuardMemory {
  private unsettled = false;

  constructor(private readonly options: GuardMemoryOptions) {}

  /** Whether a sandbox ran when it was written last, or nobody knows: what it did since was not seen. */
  get isUnsettled(): boolean {
    return this.unsettled;
  }

  /** Goes on from what is known now, to whatever window. What can't be read is not taken for nothing. */
  async refresh(): Promise<void> {
    try {
      const state = await this.options.store.read();
      this.unsettled = state?.isUnsettled === true;
      if (state) this.options.take(state);
    } catch (error) {
      this.unsettled = true;
      this.options.onError(unreadable(error));
    }
  }

  /** @param isUnsettled undefined: as it is */
  save(isUnsettled: boolean | undefined): Promise<void> {
    return this.options.store.exclusively(() => this.write(isUnsettled));
  }

  /** As {@link save}, while no other window writes. */
  async write(isUnsettled: boolean | undefined): Promise<void> {
    const { store, workspace, known, take } = this.options;
    const { state, isMerged } = await store.write({ workspace, ...known() }, isUnsettled);
    this.unsettled = state.isUnsettled;
    if (isMerged) take(state);
  }
}

function unreadable(cause: unknown): UserError {
  return new UserError(
    'guard.unreadable',
    message(
      'What was known of this folder can’t be read, so what could act on this computer is a finding, also what was there before. The log says why.',
    ),
    { kind: 'showLog' },
    { cause },
  );
}
