import type { SandboxRegistry } from '../launch/sandboxRegistry';
import type { ImageBuilder } from '../ui/images/imageBuilder';
import type { Images } from '../ui/images/images';
import type { IsolationReport } from '../ui/report/isolationReport';
import type { Log } from '../ui/log';
import type { WindowNetwork } from '../ui/network/networkLogWindow';
import type { WindowProof } from '../ui/proof/windowProof';
import type { PulledImage } from '../ui/images/pulledImage';
import type { SandboxLauncher } from '../ui/sandboxes/sandboxLauncher';
import type { SandboxViews } from '../ui/sandboxes/sandboxViews';
import type { Say } from '../ui/say';
import type { SessionParts } from '../ui/sessions/selectedSession';
import type { SetupCheck } from '../ui/setup/setupCheck';
import type { TaskRunner } from '../ui/sandboxes/taskRunner';
import type { WindowGuard } from '../ui/findings/windowGuard';
import type { Transcripts } from '../ui/sessions/transcripts';
import type { WindowModels } from '../ui/models/windowModels';
import type { WindowReview } from '../ui/review/windowReview';

/** What commands work with. */
export interface Services extends SessionParts {
  readonly log: Log;
  readonly say: Say;
  readonly registry: SandboxRegistry;
  readonly launcher: SandboxLauncher;
  readonly views: SandboxViews;
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
