import { createRunDirectory, type RunDirectoryContent, removeRunDirectory } from '../host/runDirectory';
import { createTemporaryFiles } from '../host/temporaryFolder';
import type { RunDirectory } from '../sandbox/runDirectory';
import { seccompProfile } from '../sandbox/seccompProfile';
import type { SandboxSpecification } from '../sandbox/specification';
import type { IndexRegistration } from './indexRegistration';

/**
 * The folders that a sandbox has on the host besides its workspace and its home: its run directory, and its temporary
 * files. Each is entered in the index before it is made.
 */
export class SandboxPlaces {
  private readonly announced: string[] = [];

  constructor(
    private readonly specification: SandboxSpecification,
    private readonly registration: Pick<IndexRegistration, 'update'>,
  ) {}

  /**
   * Makes them.
   * @param scripts paths of the bundled scripts
   * @returns the run directory, and the folder with all temporary files
   * @throws UserError; what was made until then is for {@link remove}
   */
  async make(scripts: Pick<RunDirectoryContent, 'companion' | 'probes'>): Promise<{
    readonly run: RunDirectory;
    readonly temporaryFiles: string;
  }> {
    const { kind, runDirectoryParents, temporaryFiles, opencodeConfiguration } = this.specification;
    const content = {
      seccompProfile: seccompProfile(process.arch),
      ...{ opencodeConfiguration, companion: scripts.companion },
      probes: kind === 'probes' ? scripts.probes : undefined,
    };
    const making = [
      createRunDirectory(runDirectoryParents, content, async ({ path, supervisorSocket }) => {
        await this.registration.update({ runDirectory: path, socket: supervisorSocket });
        this.announced.push(path);
      }),
      createTemporaryFiles(temporaryFiles.parents, async (announced) => {
        await this.registration.update({ temporaryFiles: announced });
        this.announced.push(announced);
      }),
    ] as const;
    // nothing is being made any more when they are removed
    await Promise.allSettled(making);
    const [run, temporary] = await Promise.all(making);
    return { run: { ...run, temporaryFolders: temporary.folders }, temporaryFiles: temporary.path };
  }

  /** Removes them, whatever a sandbox has left in them. @throws when something stayed */
  async remove(): Promise<void> {
    for (const path of this.announced) await removeRunDirectory(path);
  }
}
