import type { Environment } from '../sandbox/hostEnvironment';
import type { PullProgress } from './pullOutput';

/** One image that is to be pulled. */
export interface PullRequest {
  /** the `apptainer` program, resolved */
  readonly apptainer: string;
  /** such as `docker://ghcr.io/anomalyco/opencode` */
  readonly source: string;
  /** absolute path of the SIF file to make; replaced when it exists */
  readonly target: string;
  /** the user's environment, of which an allow-list is used */
  readonly environment: Environment;
  readonly signal?: AbortSignal | undefined;
  /** folders to load node-pty from: Apptainer tells numbers only on a terminal; without it, it tells stages alone */
  readonly ptyModules?: readonly string[] | undefined;
  /** looks at the image before it gets its name; when it throws, the image is not kept */
  readonly inspect?: ((path: string) => Promise<void>) | undefined;
  /** called when a new stage begins, and with each new number */
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
  /** called with each line that Apptainer prints, for the log */
  readonly onLine?: ((line: string) => void) | undefined;
}
