import type { SandboxSummary } from './supervisor/protocol';

/** What `activate()` returns: a view of the present state for other extensions. Nothing can be changed through it. */
export interface SandboxedAgentApi {
  /** what the status bar item says now, without its icon */
  statusText(): string;
  /** the sandboxes of this window that run */
  sandboxes(): readonly SandboxSummary[];
}
