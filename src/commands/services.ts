import type { SandboxRegistry } from '../launch/sandboxRegistry';
import type { ImageBuilder } from '../ui/imageBuilder';
import type { Images } from '../ui/images';
import type { IsolationReport } from '../ui/isolationReport';
import type { Log } from '../ui/log';
import type { WindowNetwork } from '../ui/networkLogWindow';
import type { WindowProof } from '../ui/proof/windowProof';
import type { PulledImage } from '../ui/pulledImage';
import type { SandboxLauncher } from '../ui/sandboxLauncher';
import type { Say } from '../ui/say';
import type { SessionParts } from '../ui/selectedSession';
import type { SetupCheck } from '../ui/setupCheck';
import type { TaskRunner } from '../ui/taskRunner';
import type { WindowGuard } from '../ui/windowGuard';
import type { Transcripts } from '../ui/transcripts';
import type { WindowModels } from '../ui/windowModels';
import type { WindowReview } from '../ui/windowReview';

/** What commands work with. */
export interface Services extends SessionParts {
  readonly log: Log;
  readonly say: Say;
  readonly registry: SandboxRegistry;
  readonly launcher: SandboxLauncher;
  readonly setupCheck: SetupCheck;
  /** the extension's own folder on this computer */
  readonly storageDirectory: string;
  /** the resolved folders in which sandboxes of any window run on this computer */
  readonly busyFolders: () => Promise<readonly string[]>;
  readonly images: Images;
  readonly imageBuilder: ImageBuilder;
  readonly pulledImage: PulledImage;
  readonly report: IsolationReport;
  readonly proof: WindowProof;
  readonly taskRunner: TaskRunner;
  readonly reviews: WindowReview;
  readonly models: WindowModels;
  readonly network: WindowNetwork;
  readonly transcripts: Transcripts;
  readonly guard: WindowGuard;
}
