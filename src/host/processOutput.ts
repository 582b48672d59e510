import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** What was kept of a stream that is read to its end. */
export interface Collector {
  read(): { readonly text: string; readonly truncated: boolean };
}

/** Keeps the first `maximumBytes` of a stream and lets the rest pass. */
export function collectHead(stream: Readable | null, maximumBytes: number): Collector {
  const chunks: Buffer[] = [];
  let kept = 0;
  let truncated = false;
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, maximumBytes - kept);
    truncated ||= part.length < chunk.length;
    kept += part.length;
    if (part.length > 0) chunks.push(part);
  });
  return { read: () => ({ text: Buffer.concat(chunks).toString('utf8'), truncated }) };
}

/** Keeps the last `maximumBytes` of a stream: what a program says last is why it failed. */
export function collectTail(stream: Readable | null, maximumBytes: number): Collector {
  let chunks: Buffer[] = [];
  let total = 0;
  let truncated = false;
  const compact = (): void => {
    const all = Buffer.concat(chunks);
    truncated ||= all.length > maximumBytes;
    const kept = all.subarray(Math.max(0, all.length - maximumBytes));
    chunks = [kept];
    total = kept.length;
  };
  stream?.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    total += chunk.length;
    if (total > 2 * maximumBytes) compact();
  });
  return {
    read() {
      compact();
      return { text: Buffer.concat(chunks).toString('utf8'), truncated };
    },
  };
}

/** A line that goes on for longer is cut into lines of this many UTF-16 units. */
const maximumLineLength = 8192;

/** Calls `listener` for each line of UTF-8 text, ended by LF, CR or the end of the stream; empty lines are left out. */
export function forEachLine(stream: Readable | null, listener: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const say = (line: string): void => {
    if (line !== '') listener(line);
  };
  stream?.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split(/[\r\n]/);
    rest = lines.pop() ?? '';
    lines.forEach(say);
    while (rest.length > maximumLineLength) {
      say(rest.slice(0, maximumLineLength));
      rest = rest.slice(maximumLineLength);
    }
  });
  stream?.on('end', () => say(rest + decoder.end()));
}
