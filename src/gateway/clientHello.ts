/** What is known of the first bytes of a tunnel. */
export type ClientHello =
  /** ask again when there are `needed` bytes in all */
  | { readonly state: 'incomplete'; readonly needed: number }
  | { readonly state: 'notTls' }
  /** `serverName` as the client wrote it; absent when it names none */
  | { readonly state: 'complete'; readonly serverName?: string };

/** A ClientHello of today has 300 to 2,000 bytes; a record holds up to this (RFC 8446 5.1). */
export const longestClientHello = 16_384;

// RFC 8446 5.1, 4, 4.1.2, 4.2 and RFC 6066 3
const recordHeaderLength = 5;
const handshakeRecord = 22;
const handshakeHeaderLength = 4;
const clientHelloMessage = 1;
const serverNameExtension = 0;
const hostNameType = 0;

const notTls: ClientHello = { state: 'notTls' };

/**
 * Reads the server name out of a TLS ClientHello that may be spread over several records. With Encrypted
 * ClientHello it is the outer name, the one that the network sees.
 * @param bytes everything that came so far; at most {@link longestClientHello} of it are looked at
 */
export function readClientHello(bytes: Buffer): ClientHello {
  const fragments: Buffer[] = [];
  let collected = 0;
  let offset = 0;
  let length: number | undefined;
  for (;;) {
    const record = readRecord(bytes, offset);
    if (record.state !== 'complete') {
      return record;
    }
    fragments.push(record.fragment);
    collected += record.fragment.length;
    offset += recordHeaderLength + record.fragment.length;
    if (fragments[0]?.[0] !== clientHelloMessage) {
      return notTls;
    }
    if (length === undefined && collected >= handshakeHeaderLength) {
      length = handshakeHeaderLength + Buffer.concat(fragments).readUIntBE(1, 3);
    }
    // RFC 8446 5.1: nothing may stand in the record behind a ClientHello
    if (length !== undefined && (collected > length || length > longestClientHello)) {
      return notTls;
    }
    if (collected === length) {
      return readMessage(Buffer.concat(fragments).subarray(handshakeHeaderLength));
    }
  }
}

type PlainRecord = ClientHello & { state: 'incomplete' | 'notTls' };

/** One record of handshake bytes. What can't become one is refused with its first wrong byte. */
function readRecord(
  bytes: Buffer,
  offset: number,
): PlainRecord | { readonly state: 'complete'; readonly fragment: Buffer } {
  const [type, major] = [bytes[offset], bytes[offset + 1]];
  if ((type !== undefined && type !== handshakeRecord) || (major !== undefined && major !== 3)) {
    return { state: 'notTls' };
  }
  const begin = offset + recordHeaderLength;
  if (bytes.length < begin) {
    return begin > longestClientHello ? { state: 'notTls' } : { state: 'incomplete', needed: begin };
  }
  const end = begin + bytes.readUInt16BE(offset + 3);
  if (end === begin || end > longestClientHello) {
    return { state: 'notTls' };
  }
  return bytes.length < end
    ? { state: 'incomplete', needed: end }
    : { state: 'complete', fragment: bytes.subarray(begin, end) };
}

/** The body of a ClientHello, without the header of the handshake message. */
function readMessage(body: Buffer): ClientHello {
  const reader = new Reader(body);
  reader.take(2 + 32); // version, random
  reader.vector(1); // session id
  reader.vector(2); // cipher suites
  reader.vector(1); // compression methods
  if (reader.isOver) {
    return reader.isBroken ? notTls : { state: 'complete' };
  }
  const extensions = new Reader(reader.vector(2));
  const names: Buffer[] = [];
  while (!extensions.isOver) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (type === serverNameExtension) {
      names.push(data);
    }
  }
  if (reader.isBroken || !reader.isOver || extensions.isBroken || names.length > 1) {
    return notTls;
  }
  return names[0] === undefined ? { state: 'complete' } : readServerName(names[0]);
}

/** The extension server_name, which must hold exactly one host name. */
function readServerName(data: Buffer): ClientHello {
  const reader = new Reader(data);
  const list = new Reader(reader.vector(2));
  const type = list.number(1);
  const name = list.vector(2);
  const isSound = !reader.isBroken && reader.isOver && !list.isBroken && list.isOver && type === hostNameType;
  return isSound ? { state: 'complete', serverName: name.toString('latin1') } : notTls;
}

/** Reads numbers and vectors; once something is missing everything after is empty and it `isBroken`. */
class Reader {
  private offset = 0;
  isBroken = false;

  constructor(private readonly bytes: Buffer) {}

  get isOver(): boolean {
    return this.isBroken || this.offset === this.bytes.length;
  }

  take(length: number): Buffer {
    if (this.isBroken || this.offset + length > this.bytes.length) {
      this.isBroken = true;
      return Buffer.alloc(0);
    }
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }

  number(length: number): number {
    const bytes = this.take(length);
    return bytes.length === 0 ? 0 : bytes.readUIntBE(0, length);
  }

  vector(lengthOfLength: number): Buffer {
    return this.take(this.number(lengthOfLength));
  }
}
