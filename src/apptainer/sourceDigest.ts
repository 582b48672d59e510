import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOwnedFolder } from '../host/ownedFolder';
import { removeTree } from '../host/removeTree';
import { runProcess } from '../host/runProcess';
import { type Environment, pullEnvironment } from '../sandbox/hostEnvironment';
import { cacheFolder } from './pullFolders';
import { pinnedDigest } from './pullNetwork';
import { pullFlags } from './pullProcess';

export interface DigestRequest {
  readonly apptainer: string;
  readonly source: string;
  /** the image that was pulled from it just now */
  readonly image: string;
  readonly environment: Environment;
  readonly signal?: AbortSignal | undefined;
}

const said = /source image digest for \S+ is ([0-9a-f]{64})/;
const cachedAs = /docker\.GetDigest digest for \S+ is ([0-9a-f]{64})/;
const timeoutMilliseconds = 30_000;

/**
 * The digest of the manifest that an image was pulled from. Apptainer (1.4) keeps it nowhere and tells it only when it
 * is asked to debug, so it is asked once more, and ended as soon as it has told: nothing is pulled. That the answer is
 * about our image is seen from its cache, where the digest names a file that has our image's size.
 * @returns `sha256:…`; undefined where it can't be known
 */
export async function sourceDigest(request: DigestRequest): Promise<string | undefined> {
  const { source, environment, image } = request;
  if (!source.startsWith('docker://')) return undefined;
  const pinned = pinnedDigest(source);
  if (pinned !== undefined) return pinned;
  const { digest, cacheName } = await ask(request);
  const cache = cacheFolder(environment);
  if (digest === undefined || cacheName === undefined || cache === undefined) return undefined;
  const sizes = await Promise.all([join(cache, 'oci-tmp', cacheName), image].map(sizeOf));
  return sizes[0] !== undefined && sizes[0] === sizes[1] ? `sha256:${digest}` : undefined;
}

interface Answer {
  readonly digest: string | undefined;
  readonly cacheName: string | undefined;
}

async function ask({ apptainer, source, environment, signal }: DigestRequest): Promise<Answer> {
  const folder = await makeOwnedFolder('/tmp', 'digest');
  const enough = new AbortController();
  let digest: string | undefined;
  let cacheName: string | undefined;
  await runProcess({
    file: apptainer,
    // into a folder that is not there, should it come so far
    args: ['--debug', 'pull', ...pullFlags(source), join(folder, 'missing', 'image.sif'), source],
    env: { ...pullEnvironment(apptainer, environment), APPTAINER_TMPDIR: folder },
    cwd: '/',
    timeoutMilliseconds,
    maximumOutputBytes: 1,
    signal: signal ? AbortSignal.any([signal, enough.signal]) : enough.signal,
    onStderrLine(line) {
      digest ??= said.exec(line)?.[1];
      cacheName ??= cachedAs.exec(line)?.[1];
      if (digest !== undefined && cacheName !== undefined) enough.abort();
    },
  }).catch(() => undefined);
  await removeTree(folder);
  return { digest, cacheName };
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
