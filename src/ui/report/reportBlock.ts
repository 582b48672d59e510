import type { Message } from '../../sandbox/message';

/** How good or bad what a text says is; the words alone say it too. */
export type Tone = 'good' | 'warning' | 'bad' | 'unknown';

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

/** One part of the report as plain data: texts that nobody has escaped yet, from the top of the page to its end. */
export type ReportBlock =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string; readonly tone?: Tone }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | {
      readonly kind: 'table';
      readonly titles: readonly string[];
      readonly rows: readonly (readonly Cell[])[];
    };

/** Turns a message into text. */
export type Render = (message: Message) => string;

export function paragraph(text: string, tone?: Tone): ReportBlock {
  return { kind: 'paragraph', text, ...(tone === undefined ? {} : { tone }) };
}
