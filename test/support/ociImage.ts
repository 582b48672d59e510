import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** What is pushed to a registry. */
export interface OciImage {
  /** of the label, as Go calls it: `amd64` or `arm64` */
  readonly architecture: string;
  /** archives made by {@link layerOf}, the lowest first */
  readonly layers: readonly Buffer[];
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** A layer of everything below a folder. @param level of the compression; 0 keeps its size */
export function layerOf(folder: string, level = 1): Buffer {
  const archive = execFileSync('/usr/bin/tar', ['--owner=0', '--group=0', '-C', folder, '-cf', '-', '.'], {
    maxBuffer: 2 ** 30,
  });
  return gzipSync(archive, { level });
}

/**
 * Pushes an image to a registry without TLS, by its API (https://github.com/opencontainers/distribution-spec).
 * @param registry such as `http://127.0.0.1:5000`
 * @param reference a tag; several architectures of one tag need {@link pushIndex}
 * @returns the digest of its manifest
 */
export async function pushOciImage(
  registry: string,
  name: string,
  reference: string,
  image: OciImage,
  authorization?: string,
): Promise<string> {
  const push = new Push(registry, name, authorization);
  const config = Buffer.from(
    JSON.stringify({
      architecture: image.architecture,
      os: 'linux',
      config: {},
      rootfs: { type: 'layers', diff_ids: image.layers.map((layer) => digestOf(gunzipped(layer))) },
    }),
  );
  const manifest = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: await push.blob('application/vnd.oci.image.config.v1+json', config),
    layers: [] as unknown[],
  };
  for (const layer of image.layers) {
    manifest.layers.push(await push.blob('application/vnd.oci.image.layer.v1.tar+gzip', layer));
  }
  return push.manifest(reference, manifestType, manifest);
}

/** Gives several images, pushed before by their digests, one tag. */
export async function pushIndex(
  registry: string,
  name: string,
  tag: string,
  images: readonly { readonly digest: string; readonly size: number; readonly architecture: string }[],
): Promise<string> {
  const type = 'application/vnd.oci.image.index.v1+json';
  const manifests = images.map(({ digest, size, architecture }) => ({
    ...{ mediaType: manifestType, digest, size },
    platform: { architecture, os: 'linux' },
  }));
  return new Push(registry, name).manifest(tag, type, { schemaVersion: 2, mediaType: type, manifests });
}

class Push {
  private readonly headers: Record<string, string>;

  constructor(
    private readonly registry: string,
    private readonly name: string,
    authorization?: string,
  ) {
    this.headers = authorization === undefined ? {} : { authorization };
  }

  async blob(mediaType: string, content: Buffer): Promise<object> {
    const digest = digestOf(content);
    const started = await fetch(`${this.registry}/v2/${this.name}/blobs/uploads/`, {
      method: 'POST',
      headers: this.headers,
    });
    assert.equal(started.status, 202, await started.text());
    const place = new URL(started.headers.get('location') ?? '', this.registry);
    place.searchParams.set('digest', digest);
    await this.put(place.href, 'application/octet-stream', content);
    return { mediaType, digest, size: content.length };
  }

  async manifest(reference: string, type: string, manifest: object): Promise<string> {
    const content = Buffer.from(JSON.stringify(manifest));
    await this.put(`${this.registry}/v2/${this.name}/manifests/${reference}`, type, content);
    return digestOf(content);
  }

  private async put(address: string, type: string, body: Buffer): Promise<void> {
    const headers = { ...this.headers, 'content-type': type };
    const response = await fetch(address, { method: 'PUT', headers, body: new Uint8Array(body) });
    assert.equal(response.status, 201, await response.text());
  }
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function gunzipped(layer: Buffer): Buffer {
  return execFileSync('/usr/bin/gzip', ['-dc'], { input: layer, maxBuffer: 2 ** 30 });
}
