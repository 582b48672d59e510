import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** What Node's TLS sends first: one record. */
export async function clientHello(servername?: string): Promise<Buffer> {
  const written: Buffer[] = [];
  const wire = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk);
      wire.emit('written');
      done();
    },
  });
  const client = connect({ socket: wire, ...(servername === undefined ? {} : { servername }) });
  client.on('error', () => undefined);
  if (written.length === 0) await once(wire, 'written');
  client.destroy();
  return Buffer.concat(written);
}

/** The handshake bytes of one TLS record, spread over records of `size` bytes. */
export function intoRecords(record: Buffer, size: number): Buffer {
  const handshake = record.subarray(5, 5 + record.readUInt16BE(3));
  const records: Buffer[] = [];
  for (let offset = 0; offset < handshake.length; offset += size) {
    const fragment = handshake.subarray(offset, offset + size);
    records.push(Buffer.from([22, 3, 1, fragment.length >> 8, fragment.length & 255]), fragment);
  }
  return Buffer.concat(records);
}
