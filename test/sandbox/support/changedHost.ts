import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { identifyTarget } from '../../../src/host/fileIdentity';
import type { IdentifiedPath } from '../../../src/sandbox/specification';
import { writeProgram } from '../../support/temporaryFolder';

/**
 * This computer as it would be after `setup`, a text for /bin/sh: in a user and a mount namespace of its own in which
 * this user may mount, so that nothing of it is seen outside. `prepare` before and `end` after.
 */
export class ChangedHost {
  private constructor(
    private readonly holder: ChildProcess,
    /** a Node.js that runs on the changed host */
    readonly nodePath: string,
  ) {}

  /** @param folder for what is needed to enter it */
  static async prepare(setup: string, folder: string): Promise<ChangedHost> {
    const holder = spawn(
      '/usr/bin/unshare',
      [
        ...['--user', '--map-current-user', '--keep-caps', '--mount'],
        ...['/bin/sh', '-c', `set -e\n${setup}\necho ready\nexec sleep 600`],
      ],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let errors = '';
    holder.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    const ended = once(holder, 'exit').then(() => {
      throw new Error(`the changed host was not made: ${errors}`);
    });
    await Promise.race([once(holder.stdout, 'data'), ended]);
    ended.catch(() => undefined);
    const enter = `exec /usr/bin/nsenter --target ${holder.pid} --user --mount --preserve-credentials --wd=/`;
    const nodePath = writeProgram(join(folder, 'node'), `${enter} -- '${process.execPath}' "$@"`);
    return new ChangedHost(holder, nodePath);
  }

  /** A path of the changed host with its identity there. */
  identified(path: string): IdentifiedPath {
    const identity = identifyTarget(`/proc/${this.holder.pid}/root${path}`);
    if (!identity) {
      throw new Error(`${path} does not exist there`);
    }
    return { path, identity };
  }

  end(): void {
    this.holder.kill('SIGKILL');
  }
}
