import { crc32 } from 'node:zlib';

/** What a package for Python is to be called, and the module that is in it. */
export interface Wheel {
  /** as pip knows it, such as `boost-histogram` */
  readonly name: string;
  readonly version: string;
  /** as it is imported */
  readonly module: string;
  /** of `__init__.py` */
  readonly source: string;
}

/** The name of its file (Python Packaging User Guide, "Binary distribution format"). */
export function wheelName({ name, version }: Wheel): string {
  return `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`;
}

/** A package for every Python 3, with one module. */
export function wheelOf(wheel: Wheel): Buffer {
  const { name, version, module, source } = wheel;
  const information = `${name.replaceAll('-', '_')}-${version}.dist-info`;
  const paths = [
    [`${module}/__init__.py`, source],
    [`${information}/METADATA`, `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`],
    [`${information}/WHEEL`, 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n'],
  ] as const;
  const record = [...paths.map(([path]) => `${path},,`), `${information}/RECORD,,`].join('\n');
  return zipOf([...paths, [`${information}/RECORD`, record]]);
}

/** A zip archive of files that are kept as they are (APPNOTE.TXT of PKWARE, 4.3.7, 4.3.12 and 4.3.16). */
function zipOf(files: readonly (readonly [path: string, text: string])[]): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of files) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    // 1980-01-01, the first day that there is
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, content]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE((0o100644 << 16) >>> 0, 6);
    end.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common, end, name]));
    entries.push(entry);
    offset += entry.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...entries, list, Buffer.from('PK\x05\x06'), end]);
}
