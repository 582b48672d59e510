import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { pullImage } from '../../src/apptainer/pull';
import type { PullProgress } from '../../src/apptainer/pullOutput';
import { formatMessage } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';
import { hasApt } from '../../src/setup/debianArchive';
import { ensureDebianImage, findDebianImage, imageFolder } from './debianImage';
import { say, step } from './progress';
import { connects } from './reachable';

const registry = 'ghcr.io';
const source = `docker://${registry}/anomalyco/opencode`;
/** A machine without a network must not wait for a time-out of minutes. */
const reachMilliseconds = 5000;

/**
 * An image with opencode: one that is there already, else opencode's own, pulled, else one made from Debian's
 * packages where the registry can't be reached.
 * @param signal ends a pull
 * @returns the path of the SIF file
 * @throws UserError, Cancelled
 */
export async function ensureImage(apptainer: string, signal: AbortSignal): Promise<string> {
  const pulled = join(imageFolder, 'opencode.sif');
  if (await exists(pulled)) {
    return pulled;
  }
  const made = await findDebianImage();
  if (made !== undefined) {
    return made;
  }
  if (!hasApt() || (await isReachable(registry))) {
    try {
      await step(`Pulling ${source} (60 MB, once)`, () => pull(apptainer, pulled, signal));
      return pulled;
    } catch (error) {
      if (!(error instanceof UserError) || !hasApt()) {
        throw error;
      }
      say(error.message);
    }
  }
  say(`The registry ${registry} can't be reached from here, so the image is made from Debian's packages.`);
  return ensureDebianImage(apptainer);
}

function pull(apptainer: string, target: string, signal: AbortSignal): Promise<void> {
  const onProgress = ({ text }: PullProgress) => say(`  ${formatMessage(text)}`);
  return pullImage({ apptainer, source, target, environment: process.env, signal, onProgress });
}

/** Whether a TLS connection comes about. Behind a proxy only the pull itself can tell. */
async function isReachable(host: string): Promise<boolean> {
  if (
    [process.env['https_proxy'], process.env['HTTPS_PROXY']].some(
      (proxy) => proxy !== undefined && proxy !== '',
    )
  ) {
    return true;
  }
  // nothing is sent, so whose certificate it is does not matter here
  const socket = connect({ host, port: 443, servername: host, rejectUnauthorized: false });
  return connects(socket, 'secureConnect', reachMilliseconds);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
