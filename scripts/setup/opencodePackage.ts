import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { message } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';
import { runCommand } from './command';

/** The version that the tests know. */
export const opencodeVersion = '1.18.33';

interface PlatformPackage {
  readonly name: string;
  /** what npm says of the package, written down so that it can't change behind our back */
  readonly integrity: string;
}

/** Built for any 64-bit Intel or AMD processor, like the one in opencode's own image: an image may move to another. */
const platformPackages: Partial<Record<NodeJS.Architecture, PlatformPackage>> = {
  x64: {
    name: 'opencode-linux-x64-baseline',
    integrity:
      'sha512-1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==',
  },
};

/**
 * Puts the `opencode` program into `folder`, from the npm package that `opencode-ai` installs on this machine.
 * @throws UserError when there is none for this processor, or when it is not what it was
 */
export async function installOpencode(folder: string): Promise<void> {
  const platform = platformPackages[process.arch];
  if (platform === undefined) {
    throw new UserError(
      'setup.noOpencode',
      message(
        'No package of opencode was checked for the processor {0}, so none is used. Run this where ghcr.io can be reached: its image is for more processors.',
        process.arch,
      ),
    );
  }
  await mkdir(folder, { recursive: true });
  const work = join(folder, 'opencode-package');
  await mkdir(work);
  await runCommand('npm', ['pack', '--loglevel=error', `${platform.name}@${opencodeVersion}`], { cwd: work });
  const archive = join(work, (await readdir(work)).find((name) => name.endsWith('.tgz')) ?? '');
  const digest = createHash('sha512')
    .update(await readFile(archive, 'latin1'), 'latin1')
    .digest('base64');
  if (platform.integrity !== `sha512-${digest}`) {
    throw new UserError(
      'setup.opencodeChanged',
      message(
        'The npm package {0} {1} is not what it was when it was checked. It was not used.',
        platform.name,
        opencodeVersion,
      ),
    );
  }
  await runCommand('tar', ['--extract', '--file', archive, '--directory', work, '--no-same-owner']);
  await rename(join(work, 'package/bin/opencode'), join(folder, 'opencode'));
  await rm(work, { recursive: true });
}
