import { type Message, message } from '../sandbox/message';
import type { ModelHealth, NetworkReason } from './gateway';
import { codeOf, isNameNotFound, Refusal } from './refusal';

/** From here on a date in `Retry-After` is nonsense: 30 days. */
const longestLimitMilliseconds = 30 * 24 * 3600 * 1000;

/** RFC 9110, 5.6.7: the form of dates that is sent; the two obsolete ones are not understood. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The health that an answer of the server shows. An answer that finds fault with the request (404, 413 …) shows that
 * the server is there.
 * @param retryAfter the header, if there was one
 * @param time milliseconds since the epoch
 */
export function healthOfAnswer(
  providerId: string,
  status: number,
  retryAfter: string | undefined,
  time: number,
): ModelHealth {
  if (status === 401 || status === 403) return { providerId, state: 'unauthorized', status, time };
  if (status === 429) {
    const until = readRetryAfter(retryAfter, time);
    return { providerId, state: 'limited', status, time, ...(until === undefined ? {} : { until }) };
  }
  const isNone = status >= 500 || (status >= 300 && status < 400);
  return { providerId, state: isNone ? 'failing' : 'reachable', status, time };
}

/**
 * The health that a failed connection shows.
 * @param error a Refusal, or with the `code` of Node: a system error, of OpenSSL, or of the parser for HTTP
 */
export function healthOfError(providerId: string, error: unknown, time: number): ModelHealth {
  const state = error instanceof Refusal ? stateOfReason(error.reason) : stateOfCode(error);
  return { providerId, state, time };
}

/** The health of a server of which nothing has come for so many seconds. */
export function silentHealth(providerId: string, seconds: number, time: number): ModelHealth {
  return { providerId, state: 'silent', seconds, time };
}

/** Whether it is a silence that was measured while a request waited, as {@link silentHealth} gives it. */
export function isMeasuredSilence({ state, seconds }: ModelHealth): boolean {
  return state === 'silent' && seconds !== undefined;
}

/** The health of a server whose answer is none of HTTP. */
export function nonsenseHealth(providerId: string, time: number): ModelHealth {
  return { providerId, state: 'failing', time };
}

/** Whether two reports say the same, apart from when: the second one is then no news. */
export function saysTheSame(one: ModelHealth, other: ModelHealth): boolean {
  return (
    one.state === other.state &&
    one.until === other.until &&
    one.seconds === other.seconds &&
    // which good answer it was does not matter
    (one.status === other.status || one.state === 'reachable')
  );
}

/**
 * Whether a person has to know. That requests are limited is over when that time has passed.
 * @param now milliseconds since the epoch
 */
export function isTrouble({ state, until }: ModelHealth, now: number): boolean {
  if (state === 'limited') return until === undefined || now < until;
  return state !== 'unknown' && state !== 'reachable';
}

/** Whether the server was not there, or not itself: that may pass without a request. */
export function isUnreachable({ state }: ModelHealth): boolean {
  return ['refused', 'nameNotFound', 'certificate', 'failing', 'silent'].includes(state);
}

/**
 * What to tell a person, in words of ours alone; `undefined` when nothing is wrong or known.
 */
export function modelHealthMessage(health: ModelHealth): Message | undefined {
  switch (health.state) {
    case 'unknown':
    case 'reachable':
      return undefined;
    case 'refused':
      return message('model unreachable: refused');
    case 'nameNotFound':
      return message('model unreachable: name not found');
    case 'certificate':
      return message('model unreachable: certificate not valid, or of an authority that is not trusted here');
    case 'unauthorized':
      return message('model unreachable: {0} (the key is not accepted)', health.status ?? 401);
    case 'limited':
      return health.until === undefined
        ? message('model unreachable: 429 (too many requests)')
        : message('model unreachable: 429 until {0}', clock(health.until, health.time));
    case 'failing':
      return failingMessage(health.status);
    case 'silent':
      return health.seconds === undefined
        ? message('model unreachable: no connection, or it was lost')
        : message('model unreachable: no answer for {0} s', health.seconds);
  }
}

function failingMessage(status: number | undefined): Message {
  if (status === undefined) return message('model unreachable: what answers there is no such server');
  return status < 500
    ? message('model unreachable: redirect {0}, which is not followed', status)
    : message('model unreachable: server error {0}', status);
}

/** RFC 9110, 10.2.3: seconds, or a date. @returns milliseconds since the epoch */
function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const until = /^\d{1,9}$/.test(value)
    ? now + Number(value) * 1000
    : httpDate.test(value)
      ? Date.parse(value)
      : Number.NaN;
  return until >= now && until - now <= longestLimitMilliseconds ? until : undefined;
}

/** Hours, minutes and seconds here; with the day when it is another one. */
function clock(until: number, now: number): string {
  const date = new Date(until);
  const two = (part: number): string => String(part).padStart(2, '0');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

function stateOfReason(reason: NetworkReason): ModelHealth['state'] {
  if (reason === 'nameNotFound') return 'nameNotFound';
  // the site's proxy refuses in the place of the server
  return reason === 'refused' || reason === 'siteProxy' ? 'refused' : 'silent';
}

/** Codes of the checks of a certificate: Node's own, and those of OpenSSL (X509_V_ERR_…, as Node writes them). */
const certificateCodes =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+|CRL_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|ERROR_IN_CERT_\w+|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/;

function stateOfCode(error: unknown): ModelHealth['state'] {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return 'refused';
  if (isNameNotFound(error)) return 'nameNotFound';
  if (certificateCodes.test(code)) return 'certificate';
  // what was spoken was no TLS, or no HTTP
  if (/^(?:EPROTO|ERR_SSL_\w+|HPE_\w+)$/.test(code)) return 'failing';
  return 'silent';
}
