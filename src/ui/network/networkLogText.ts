import type { NetworkEntry, NetworkReason } from '../../gateway/gateway';
import { message, type Message } from '../../sandbox/message';

/** Why an attempt was denied or has failed, in one sentence. */
export function reasonText(reason: NetworkReason): Message {
  return reasonTexts[reason];
}

const reasonTexts: Readonly<Record<NetworkReason, Message>> = {
  notAllowed: message('This host is not on the list of allowed hosts.'),
  privateAddress: message(
    'The name leads to this computer, a private network or a metadata service, and that address was not allowed.',
  ),
  malformed: message('What was asked for is no host or port that could be meant in one way only.'),
  otherServerName: message('Inside the connection another host was named than outside, or none.'),
  notTls: message('What went through the connection was not TLS.'),
  notSupported: message('The request was of a kind that is not let through, or exceeded a limit.'),
  tooManyConnections: message('Too many connections were open at the same time.'),
  nameNotFound: message('No computer of this name was found.'),
  refused: message('The host refused the connection.'),
  timedOut: message('The host did not answer in time.'),
  siteProxy: message('The proxy of this site did not let it through, or wants a password.'),
  broken: message('The connection was lost.'),
};

/** Why, in a word or two: a side bar is narrow. */
export function reasonWords(reason: NetworkReason): Message {
  return shortReasons[reason];
}

const shortReasons: Readonly<Record<NetworkReason, Message>> = {
  notAllowed: message('not allowed'),
  privateAddress: message('private address'),
  malformed: message('malformed'),
  otherServerName: message('other server name'),
  notTls: message('not TLS'),
  notSupported: message('not supported'),
  tooManyConnections: message('too many connections'),
  nameNotFound: message('name not found'),
  refused: message('refused'),
  timedOut: message('no answer'),
  siteProxy: message('proxy of this site'),
  broken: message('connection lost'),
};

/** What became of an attempt. */
export function verdictWords({ verdict, durationMilliseconds }: NetworkEntry): Message {
  switch (verdict) {
    case 'allowed':
      return durationMilliseconds === undefined ? message('allowed, open') : message('allowed');
    case 'denied':
      return message('denied');
    case 'failed':
      return message('failed');
  }
}

/** How long ago something was. @param milliseconds may be negative when a clock was set */
export function agoText(milliseconds: number): Message {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  if (minutes < 1) {
    return message('just now');
  }
  if (minutes < 60) {
    return message('{0} min ago', minutes);
  }
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? message('{0} h ago', hours) : message('{0} days ago', Math.floor(hours / 24));
}

/** A number of bytes, with decimal units. */
export function bytesText(bytes: number): string {
  const scale = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** scale;
  return `${scale === 0 || value >= 100 ? Math.floor(value) : value.toFixed(1)} ${byteUnits[scale]}`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** How long something took. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) {
    return `${Math.round(milliseconds)} ms`;
  }
  const seconds = milliseconds / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min`;
}
