import type * as vscode from 'vscode';
import type { SandboxRegistry } from '../launch/sandboxRegistry';
import type { IsolationReport } from '../ui/isolationReport';
import type { PulledImage } from '../ui/pulledImage';
import type { SandboxLauncher } from '../ui/sandboxLauncher';
import type { Say } from '../ui/say';

/** What commands work with. */
export interface Services {
  readonly log: vscode.LogOutputChannel;
  readonly say: Say;
  readonly registry: SandboxRegistry;
  readonly launcher: SandboxLauncher;
  readonly pulledImage: PulledImage;
  readonly report: IsolationReport;
}
