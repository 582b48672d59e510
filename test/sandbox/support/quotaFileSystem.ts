/**
 * A file system (FUSE) on which this user's quota is used up, although it has room: a user can't make a real quota,
 * and many a kernel has none. It has one folder, which stays empty. Run as
 * `node quotaFileSystem.js 3 WHEN` with /dev/fuse, mounted, as descriptor 3; WHEN is the operation that says so:
 * `create` (no file more), `write`, or `close`, as NFS does. Layouts and numbers are those of <linux/fuse.h>.
 */
import { readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';

const operations = {
  lookup: 1,
  forget: 2,
  getattr: 3,
  unlink: 10,
  write: 16,
  statfs: 17,
  release: 18,
  flush: 25,
  init: 26,
  access: 34,
  create: 35,
  batchForget: 42,
} as const;

const { EDQUOT, ENOENT, ENOSYS } = constants.errno;
const folder = 1n;
const file = 2n;

/** fuse_attr */
function attributes(node: bigint): Buffer {
  const answer = Buffer.alloc(88);
  answer.writeBigUInt64LE(node, 0);
  answer.writeUInt32LE(node === folder ? 0o40700 : 0o100600, 60);
  answer.writeUInt32LE(1, 64);
  answer.writeUInt32LE(process.getuid?.() ?? 0, 68);
  answer.writeUInt32LE(process.getgid?.() ?? 0, 72);
  return answer;
}

/** fuse_init_out of protocol 7.31, without any option */
function initialised(): Buffer {
  const answer = Buffer.alloc(64);
  answer.writeUInt32LE(7, 0);
  answer.writeUInt32LE(31, 4);
  answer.writeUInt32LE(4096, 20);
  return answer;
}

/** fuse_statfs_out: a terabyte is free */
function statistics(): Buffer {
  const answer = Buffer.alloc(80);
  for (let at = 0; at < 40; at += 8) {
    answer.writeBigUInt64LE(2n ** 28n, at);
  }
  [4096, 255, 4096].forEach((value, index) => answer.writeUInt32LE(value, 40 + 4 * index));
  return answer;
}

/** fuse_write_out: all of it, as fuse_write_in says after its header, handle and offset */
function written(request: Buffer): Buffer {
  const answer = Buffer.alloc(8);
  answer.writeUInt32LE(request.readUInt32LE(40 + 16), 0);
  return answer;
}

/** fuse_entry_out and fuse_open_out; valid for a while, so that nobody looks for the name again */
function created(): Buffer {
  const entry = Buffer.alloc(40);
  entry.writeBigUInt64LE(file, 0);
  entry.writeBigUInt64LE(60n, 16);
  return Buffer.concat([entry, attributes(file), Buffer.alloc(16)]);
}

/** What to answer: an error's number, or the content. Undefined where no answer is expected. */
function answer(operation: number, node: bigint, request: Buffer, full: string): number | Buffer | undefined {
  switch (operation) {
    case operations.init:
      return initialised();
    case operations.getattr:
      return Buffer.concat([Buffer.alloc(16), attributes(node)]);
    case operations.statfs:
      return statistics();
    case operations.lookup:
      return ENOENT;
    case operations.create:
      return full === 'create' ? EDQUOT : created();
    case operations.write:
      return full === 'write' ? EDQUOT : written(request);
    case operations.flush:
      return full === 'close' ? EDQUOT : Buffer.alloc(0);
    case operations.access:
    case operations.unlink:
    case operations.release:
      return Buffer.alloc(0);
    case operations.forget:
    case operations.batchForget:
      return undefined;
    default:
      return ENOSYS;
  }
}

function serve(device: number, full: string): never {
  const request = Buffer.alloc(2 ** 17);
  for (;;) {
    // fails with ENODEV when it is unmounted, which ends this program
    const length = readSync(device, request, 0, request.length, null);
    const result = answer(
      request.readUInt32LE(4),
      request.readBigUInt64LE(16),
      request.subarray(0, length),
      full,
    );
    if (result !== undefined) {
      const content = typeof result === 'number' ? Buffer.alloc(0) : result;
      const header = Buffer.alloc(16);
      header.writeUInt32LE(16 + content.length, 0);
      header.writeInt32LE(typeof result === 'number' ? -result : 0, 4);
      request.copy(header, 8, 8, 16);
      writeSync(device, Buffer.concat([header, content]));
    }
  }
}

serve(Number(process.argv[2]), process.argv[3] ?? '');
