import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { apptainer, registry, shellImage } from './environment';
import { writeProgram } from './temporaryFolder';
import { layerOf, type OciImage } from './ociImage';

/** A registry of images on 127.0.0.1, without TLS. */
export class ImageRegistry {
  private constructor(
    private readonly server: ChildProcess,
    /** such as `127.0.0.1:5000` */
    readonly host: string,
    /** where it keeps its files */
    readonly storage: string,
  ) {}

  /** @param folder for its files @param htpasswd who may pull, with bcrypt; default: everybody */
  static async start(folder: string, htpasswd?: string): Promise<ImageRegistry> {
    mkdirSync(folder, { recursive: true });
    const configuration = join(folder, 'registry.yml');
    const storage = join(folder, 'storage');
    const passwords = join(folder, 'htpasswd');
    if (htpasswd !== undefined) writeFileSync(passwords, htpasswd);
    // JSON is YAML; port 0 takes a free one, which the log names
    writeFileSync(
      configuration,
      JSON.stringify({
        version: 0.1,
        storage: { filesystem: { rootdirectory: storage } },
        http: { addr: '127.0.0.1:0' },
        ...(htpasswd === undefined ? {} : { auth: { htpasswd: { realm: 'test', path: passwords } } }),
      }),
    );
    const server = spawn(registry(), ['serve', configuration], {
      env: {},
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const line of createInterface({ input: server.stderr })) {
      const port = /listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port) {
        server.stderr.resume();
        return new ImageRegistry(server, `127.0.0.1:${port}`, storage);
      }
    }
    throw new Error('the registry ended before it listened');
  }

  async stop(): Promise<void> {
    const ended = once(this.server, 'exit');
    this.server.kill('SIGKILL');
    await ended;
  }
}

/** An image with a shell and a program that says that it is opencode, made of the tiny image. @param padding more bytes @param change makes another shell of it @param programs scripts by their names */
export function smallOciImage(
  folder: string,
  padding: Buffer,
  change = (busybox: Buffer) => busybox,
  programs: Readonly<Record<string, string>> = {},
): OciImage {
  const root = join(folder, 'root');
  mkdirSync(join(root, 'bin'), { recursive: true });
  const busybox = execFileSync(
    apptainer(),
    ['-q', 'exec', '--containall', shellImage(), 'cat', '/usr/bin/busybox'],
    { env: { HOME: folder, PATH: `${join(apptainer(), '..')}:/usr/bin:/bin` }, maxBuffer: 2 ** 26 },
  );
  assert.ok(busybox.length > 100_000);
  writeFileSync(join(root, 'bin/busybox'), change(busybox), { mode: 0o755 });
  symlinkSync('busybox', join(root, 'bin/sh'));
  for (const [name, script] of Object.entries({ opencode: 'echo 1.18.33', ...programs })) {
    writeProgram(join(root, 'bin', name), script);
  }
  const more = join(folder, 'more');
  mkdirSync(more, { recursive: true });
  writeFileSync(join(more, 'data'), padding);
  return {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    layers: [layerOf(root), layerOf(more, 0)],
  };
}
