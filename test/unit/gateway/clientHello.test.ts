import assert from 'node:assert/strict';
import { type ClientHello, longestClientHello, readClientHello } from '../../../src/gateway/clientHello';
import { randomNumbers } from './support/randomInput';
import { clientHello, intoRecords } from './support/tlsRecords';

const complete = (serverName: string): ClientHello => ({ state: 'complete', serverName });

describe('the reader of ClientHello', () => {
  let hello: Buffer;
  before(async () => {
    hello = await clientHello('example.org');
  });

  it('finds the server name, or that there is none', async () => {
    assert.deepEqual(readClientHello(hello), complete('example.org'));
    assert.deepEqual(readClientHello(await clientHello()), { state: 'complete' });
  });

  it('waits for exactly as much as is missing, wherever it was cut', () => {
    for (let length = 0; length < hello.length; length += 1) {
      const seen = readClientHello(hello.subarray(0, length));
      assert.equal(seen.state, 'incomplete', String(length));
      assert.ok(seen.state === 'incomplete' && seen.needed > length && seen.needed <= hello.length);
    }
  });

  it('puts it together from many records, even of one byte', () => {
    for (const size of [1, 2, 3, 7, 100]) {
      assert.deepEqual(readClientHello(intoRecords(hello, size)), complete('example.org'), String(size));
    }
  });

  it('does not look at what comes behind it', () => {
    assert.deepEqual(
      readClientHello(Buffer.concat([hello, Buffer.from([0, 1, 2, 3])])),
      complete('example.org'),
    );
  });

  it('knows with the first bytes what is not TLS', () => {
    const others = [
      'GET / HTTP/1.1\r\n',
      'SSH-2.0-OpenSSH_9.9\r\n',
      '\x16\x02',
      '\x80\x2e\x01\x03\x01',
      '\x17\x03\x03',
      '\x00',
    ];
    for (const text of others) {
      assert.deepEqual(readClientHello(Buffer.from(text, 'latin1')), { state: 'notTls' }, text);
    }
  });

  it('refuses another handshake message, an empty record and more than a hello can be', () => {
    const changed = (offset: number, ...bytes: number[]): Buffer => {
      const copy = Buffer.from(hello);
      copy.set(bytes, offset);
      return copy;
    };
    assert.deepEqual(readClientHello(changed(5, 2)), { state: 'notTls' }, 'ServerHello');
    assert.deepEqual(readClientHello(changed(3, 0, 0)), { state: 'notTls' }, 'empty record');
    assert.deepEqual(readClientHello(changed(3, 255, 255)), { state: 'notTls' }, 'too long a record');
    assert.deepEqual(readClientHello(changed(6, 255)), { state: 'notTls' }, 'too long a message');
    assert.deepEqual(readClientHello(changed(6, 0, 0, 60)), { state: 'notTls' }, 'bytes behind the message');
  });

  it('never waits for more than the limit', () => {
    const endless = Buffer.alloc(longestClientHello + 100);
    for (let offset = 0; offset < endless.length - 6; offset += 6) {
      endless.set([22, 3, 1, 0, 1, offset === 0 ? 1 : 0], offset);
    }
    for (let length = 0; length <= endless.length; length += 97) {
      const seen = readClientHello(endless.subarray(0, length));
      assert.ok(
        seen.state === 'notTls' || (seen.state === 'incomplete' && seen.needed <= longestClientHello),
      );
    }
    assert.deepEqual(readClientHello(endless), { state: 'notTls' });
  });

  it('refuses two names: as two extensions, as two in one, or as another kind of name', () => {
    const name = Buffer.from('example.org');
    const at = hello.indexOf(name) - 9; // type, length, list length, kind, name length
    const extension = hello.subarray(at, at + 9 + name.length);
    assert.deepEqual([...extension.subarray(0, 2)], [0, 0]);
    const twice = withExtensionBytes(hello, at, extension.length, Buffer.concat([extension, extension]));
    assert.deepEqual(readClientHello(twice), { state: 'notTls' });
    const one = extension.subarray(6);
    const list = Buffer.concat([one, one]);
    const both = Buffer.concat([Buffer.from([0, 0, 0, list.length + 2, 0, list.length]), list]);
    assert.deepEqual(readClientHello(withExtensionBytes(hello, at, extension.length, both)), {
      state: 'notTls',
    });
    const other = Buffer.from(extension);
    other[6] = 1;
    assert.deepEqual(readClientHello(withExtensionBytes(hello, at, extension.length, other)), {
      state: 'notTls',
    });
  });

  it('has a verdict on anything', () => {
    const random = randomNumbers(7);
    const seen = new Set<string>();
    for (let round = 0; round < 6000; round += 1) {
      let bytes = Buffer.from(round % 2 === 0 ? hello : intoRecords(hello, 64));
      for (let changes = 1 + Math.floor(random() * 6); changes > 0; changes -= 1) {
        bytes[Math.floor(random() * (random() < 0.5 ? 200 : bytes.length))] = Math.floor(random() * 256);
      }
      if (random() < 0.3) bytes = bytes.subarray(0, Math.floor(random() * bytes.length));
      const verdict = readClientHello(bytes);
      seen.add(verdict.state);
      if (verdict.state === 'incomplete') {
        assert.ok(verdict.needed > bytes.length && verdict.needed <= longestClientHello);
      }
    }
    assert.deepEqual([...seen].sort(), ['complete', 'incomplete', 'notTls']);
  });
});

/** Puts other bytes in the place of some of the extensions, and corrects all lengths around them. */
function withExtensionBytes(hello: Buffer, offset: number, length: number, bytes: Buffer): Buffer {
  const changed = Buffer.concat([hello.subarray(0, offset), bytes, hello.subarray(offset + length)]);
  const more = bytes.length - length;
  const session = 5 + 4 + 34;
  const ciphers = session + 1 + (hello[session] as number);
  const compressions = ciphers + 2 + hello.readUInt16BE(ciphers);
  const extensions = compressions + 1 + (hello[compressions] as number);
  changed.writeUInt16BE(hello.readUInt16BE(3) + more, 3);
  changed.writeUIntBE(hello.readUIntBE(6, 3) + more, 6, 3);
  changed.writeUInt16BE(hello.readUInt16BE(extensions) + more, extensions);
  return changed;
}
