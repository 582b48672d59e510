import type { MessageLine } from '../opencode/sessions/lines';

/** What a transcript is asked for. */
export interface TranscriptRequest {
  readonly session: string;
  /** the id of a message: only those before it; empty: up to the last */
  readonly before: string;
  readonly limit: number;
}

/** How long, in milliseconds, what a reader is asked for may take, however often it says something meanwhile. */
export interface ReaderPatience {
  /** until a transcript, or the list without its sums, is there: 10,000 sessions take a second from an own disk */
  readonly answer: number;
  /** then, until the last sum is there: for each of 20,000 sessions, a few pages of a cold disk in a network */
  readonly sums: number;
}

export const usualPatience: ReaderPatience = { answer: 120_000, sums: 600_000 };

/** 20,000 sessions with all their sums are less. */
const mostCharacters = 64 * 1024 * 1024;

/** Something that the reader was asked for, until it is answered or given up. */
export class ReaderOrder {
  private characters = 0;
  private due: number | undefined;
  private wasListed = false;

  /** @param transcript what of which session; undefined for the list */
  constructor(
    readonly id: number,
    readonly transcript: TranscriptRequest | undefined,
    readonly resolve: (messages: MessageLine[] | undefined) => void,
    private readonly patience: ReaderPatience,
  ) {}

  /** Only the sums of the sessions are still to come. */
  get isListed(): boolean {
    return this.wasListed;
  }

  /** When it must be answered, as `performance.now()` tells time; undefined until it was sent. */
  get until(): number | undefined {
    return this.due;
  }

  /** It goes to the reader now. */
  sent(): void {
    this.due = performance.now() + this.patience.answer;
  }

  /** The list is there; said once more, it is no reason to wait longer. */
  listed(): void {
    if (!this.wasListed) this.due = performance.now() + this.patience.sums;
    this.wasListed = true;
  }

  /** @returns whether what has been said to it is still no more than anybody has */
  takes(characters: number): boolean {
    this.characters += characters;
    return this.characters <= mostCharacters;
  }
}
