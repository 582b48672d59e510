/**
 * A path or name as its bytes, one character for each (latin1): file names of Linux are bytes, and need not be UTF-8.
 * Paths are below the folder that was looked at, without a slash at either end; the folder itself is the empty one.
 */
export type BytePath = string & { readonly bytes: unique symbol };

/** The folder itself. */
export const rootPath = '' as BytePath;

/** A path by the bytes that the kernel gave. */
export function fromBytes(bytes: Uint8Array): BytePath {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') as BytePath;
}

/** A path that is known as a text. */
export function fromText(text: string): BytePath {
  return Buffer.from(text, 'utf8').toString('latin1') as BytePath;
}

/** The bytes for the kernel. */
export function toBytes(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** For people: what is not UTF-8 becomes U+FFFD. The agent chose it: see `ui/plainText.ts`. */
export function toText(path: BytePath): string {
  return toBytes(path).toString('utf8');
}

/** Whether the path can be told as a text without loss, as an editor must. */
export function isText(path: BytePath): boolean {
  return fromText(toText(path)) === path;
}

/** The path of an entry of a folder. */
export function below(folder: BytePath, name: BytePath): BytePath {
  return (folder === '' ? name : `${folder}/${name}`) as BytePath;
}

/** The folder that holds this path; that of the root is the root. */
export function parentOf(path: BytePath): BytePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/'))) as BytePath;
}

/** The last name of a path. */
export function nameOf(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf('/') + 1) as BytePath;
}

/** All folders above this path but the root, the nearest first. */
export function ancestorsOf(path: BytePath): BytePath[] {
  const parent = parentOf(path);
  return parent === '' ? [] : [parent, ...ancestorsOf(parent)];
}

/** The names of a path. */
export function namesOf(path: BytePath): BytePath[] {
  return path === '' ? [] : (path.split('/') as BytePath[]);
}

/** How many folders lie above this path, the root not counted. */
export function depthOf(path: BytePath): number {
  return namesOf(path).length - 1;
}
