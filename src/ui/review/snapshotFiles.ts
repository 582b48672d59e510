import { join } from 'node:path';
import * as vscode from 'vscode';
import { type Location, readContent, readPacks } from '../../host/snapshot/packs';
import { isText, toText } from '../../snapshot/bytePath';
import type { Change } from '../../snapshot/diff';
import type { Entry } from '../../snapshot/manifest';
import { isShownAsText, sideText, standInWord } from './changeRows';
import { translate } from '../translate';

const usualScheme = 'sandboxed-agent-snapshot';

/** Where the contents of before are. */
export interface SnapshotSource {
  readonly workspace: string;
  readonly store: string;
}

/** Both sides of a change, as an editor can open them; a side that is not there is undefined. */
export interface ChangeSides {
  /** names it */
  readonly resource: vscode.Uri;
  readonly before: vscode.Uri | undefined;
  readonly after: vscode.Uri | undefined;
}

/**
 * What files were, read-only, and what is said in place of contents that are not shown. Only what was given out by
 * {@link sides} can be read. Bytes are given, so that VS Code decodes them like the file that is there now.
 */
export class SnapshotFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changing.event;
  private readonly registration: vscode.Disposable;
  private readonly readers = new Map<string, () => Uint8Array>();
  private given = 0;

  /** @param scheme of its own for each that there is at the same time */
  constructor(private readonly scheme = usualScheme) {
    this.registration = vscode.workspace.registerFileSystemProvider(scheme, this, {
      isReadonly: true,
      isCaseSensitive: true,
    });
  }

  /** Makes both sides of a change readable. @param packs of the source, read once for many changes */
  sides(change: Change, source: SnapshotSource, packs = readPacks(source.store)): ChangeSides {
    const { path, kind, before, after, from } = change;
    const resource = vscode.Uri.file(join(source.workspace, toText(path)));
    const hasContents = kind !== 'mode' && isShownAsText(before) && isShownAsText(after);
    const isContent = (entry: Entry | undefined): boolean => hasContents && entry?.kind === 'file';
    const old = vscode.Uri.file(join(source.workspace, toText(from ?? path)));
    const sha256 = before?.kind === 'file' ? before.sha256 : undefined;
    const location = sha256 === undefined ? undefined : packs.get(sha256);
    return {
      resource,
      before:
        isContent(before) && sha256 !== undefined && location
          ? this.content(old, source.store, sha256, location)
          : this.text(old, before, change),
      // VS Code can't name a file whose name is no text
      after: isContent(after) && isText(path) ? resource : this.text(resource, after, change),
    };
  }

  /** Forgets what was given out so far. */
  clear(): void {
    this.readers.clear();
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const size = this.readFile(uri).length;
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: 0,
      size,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const read = this.readers.get(uri.toString());
    if (!read) throw vscode.FileSystemError.FileNotFound(uri);
    return read();
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined };
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotFound(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changing.dispose();
  }

  private content(place: vscode.Uri, store: string, sha256: string, location: Location): vscode.Uri {
    return this.give(place, () => readContent(store, sha256, location));
  }

  private text(place: vscode.Uri, entry: Entry | undefined, change: Change): vscode.Uri | undefined {
    if (entry === undefined) return undefined;
    // says in the title why its content is not there; VS Code does not take our words for what the name alone says,
    // for example a picture
    const why = translate(standInWord(entry, change)).replaceAll('/', ' ');
    const named = place.with({ path: `${place.path} (${why})` });
    return this.give(named, () => Buffer.from(sideText(entry, translate)));
  }

  /** The same path lets VS Code see that it is the same file, and choose its language. */
  private give(place: vscode.Uri, read: () => Uint8Array): vscode.Uri {
    this.given += 1;
    const uri = place.with({ scheme: this.scheme, query: String(this.given) });
    this.readers.set(uri.toString(), read);
    return uri;
  }
}
