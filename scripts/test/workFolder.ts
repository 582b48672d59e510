import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runDirectories } from '../../test/support/runDirectories';

/** All that the tests make outside the clone is in one folder, so that it can be found and removed. */
export class WorkFolder {
  /** short, because unix sockets in it have 108 bytes for their path (unix(7)) */
  readonly path = mkdtempSync('/tmp/agent-tests-');
  private readonly runtime = join(this.path, 'runtime');
  private readonly temporary = join(this.path, 'temporary');

  constructor() {
    mkdirSync(this.runtime, { mode: 0o700 });
    mkdirSync(this.temporary);
  }

  /** Sends run directories and temporary files of the tests here. */
  get environment(): NodeJS.ProcessEnv {
    return { TMPDIR: this.temporary, XDG_RUNTIME_DIR: this.runtime };
  }

  /** Removes the run directories of sandboxes that did not clean up after themselves, and returns their paths. */
  takeRunDirectories(): string[] {
    const left = runDirectories(this.runtime).map(({ path }) => path);
    for (const path of left) {
      rmSync(path, { recursive: true });
    }
    return left;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}
