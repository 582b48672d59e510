import { type Message, message } from '../sandbox/message';
import { classifyAddress } from './addressRules';
import { bareHostOf, formatAuthority, normaliseHost } from './hostName';

/** A base URL in its only form, or why there is none. */
export type ModelAddress = { readonly baseUrl: string } | { readonly refused: Message };

/** Longer than any base URL that people use; what a hostile file may hold is not. */
const maximumLength = 2048;

/** What opencode replaces before it uses a value of its configuration. */
const placeholder = /\{(?:env|file):[^}]*\}/;

/** Segments without an escape: an encoded slash or dot would be read in more than one way. */
const plainPath = /^(?:\/[\w.~!$&'()*+,;=:@-]+)*$/;

/**
 * Brings a base URL that a person typed, or that a file in the workspace names, into its only form: `http` or `https`,
 * host in lower case (or as an address in its usual notation), no default port, no dot segments, no final slash.
 * Two texts that lead to the same place give the same base URL, so that an approval means one thing.
 */
export function normaliseModelAddress(text: string): ModelAddress {
  const trimmed = text.trim();
  const problem = unusable(trimmed);
  if (problem !== undefined) return { refused: problem };
  const url = parse(trimmed);
  if (url === undefined) {
    return { refused: message('This is no URL. A base URL looks like https://models.example.org/v1') };
  }
  const refused = unwanted(trimmed);
  if (refused !== undefined) return { refused };
  const host = normaliseHost(url.hostname);
  if (host === undefined || url.port === '0') {
    return { refused: message('The base URL names no host and port that can be reached.') };
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (!plainPath.test(path)) {
    return {
      refused: message(
        'The path of the base URL has empty parts, or characters that need an escape like %2F.',
      ),
    };
  }
  const port = url.port === '' ? undefined : Number(url.port);
  return { baseUrl: `${url.protocol}//${formatAuthority(host.host, port)}${path}` };
}

/**
 * What a person approves: `http://HOST[:PORT]` or `https://HOST[:PORT]`.
 * @param baseUrl as {@link normaliseModelAddress} gives it
 * @throws TypeError when it is no URL
 */
export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin;
}

/**
 * Whether others than the server can read what goes to it: without TLS, and not on this computer. The name `localhost`
 * is loopback (RFC 6761, 6.3).
 * @param baseUrl as {@link normaliseModelAddress} gives it
 */
export function isReadableOnTheWay(baseUrl: string): boolean {
  const host = bareHostOf(baseUrl);
  return (
    new URL(baseUrl).protocol === 'http:' && host !== 'localhost' && classifyAddress(host) !== 'loopback'
  );
}

/** Seen in the text itself: the URL parser would repair it or leave it out without a word. */
function unusable(text: string): Message | undefined {
  if (text === '') return message('There is no base URL.');
  if (text.length > maximumLength) {
    return message('The base URL is longer than {0} characters.', maximumLength);
  }
  if (placeholder.test(text)) {
    return message(
      'The base URL is filled in by opencode from a variable or a file. Outside of the sandbox it is not known: ' +
        'write the URL itself.',
    );
  }
  if (/[\u0000-\u0020\u007f-\u009f\\]/.test(text)) {
    return message('The base URL has a space, a control character or a backslash in it.');
  }
  return undefined;
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function unwanted(text: string): Message | undefined {
  // `https:host` and `https:///host` are repaired by the parser, so the text counts
  if (!/^https?:\/\/[^/]/i.test(text)) return message('A base URL begins with https:// or http://');
  // an empty user or query is not in the parsed URL any more
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) {
    return message(
      'The base URL holds a user or a password. Give the key by itself: it is kept secret then.',
    );
  }
  if (/[?#]/.test(text)) return message('The base URL holds a query or a fragment (“?” or “#”).');
  return undefined;
}
