import type { SandboxRegistry } from '../launch/sandboxRegistry';
import type { ChangedFiles } from '../ui/changedFiles';
import type { IsolationReport } from '../ui/isolationReport';
import type { Log } from '../ui/log';
import type { PulledImage } from '../ui/pulledImage';
import type { SandboxLauncher } from '../ui/sandboxLauncher';
import type { Say } from '../ui/say';
import type { TaskRunner } from '../ui/taskRunner';

/** What commands work with. */
export interface Services {
  readonly log: Log;
  readonly say: Say;
  readonly registry: SandboxRegistry;
  readonly launcher: SandboxLauncher;
  readonly pulledImage: PulledImage;
  readonly report: IsolationReport;
  readonly taskRunner: TaskRunner;
  readonly changedFiles: ChangedFiles;
}
