/**
 * Columns can hold values of any type, whatever the table says (https://sqlite.org/flexibletypegotchas.html), and the
 * agent can write what it likes.
 */

/** @returns at most `length` UTF-16 units; empty for what is no text */
export function text(value: unknown, length: number): string {
  return typeof value === 'string' ? value.slice(0, length) : '';
}

/** @returns zero for what is no number */
export function number(value: unknown): number {
  const found = typeof value === 'bigint' ? Number(value) : value;
  return typeof found === 'number' && Number.isFinite(found) ? found : 0;
}

/** @returns null for what is no number: something that has not happened */
export function time(value: unknown): number | null {
  return number(value) > 0 ? number(value) : null;
}

/** The ids of opencode. Nothing else is passed on, so that an id can stand on a command line. */
export const sessionIdPattern = /^ses_[A-Za-z0-9]{10,40}$/;
