import { agentEnvironment } from '../opencode/environment';
import type { SessionSandbox } from '../sandbox/sessionPlan';
import type { SandboxSpecification } from '../sandbox/specification';

/**
 * What opencode gets that changes sessions: as the agent's, and nothing of the project is loaded, which could bring
 * programs along.
 */
export const editorEnvironment: Readonly<Record<string, string>> = {
  ...agentEnvironment,
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_PURE: '1',
};

/** The sandbox for work on the sessions of the agent that this specification is for. @throws Error for one in memory */
export function sessionSandboxOf(
  { apptainer, image, home, workspace, runDirectoryParents }: SandboxSpecification,
  mayWrite: boolean,
): SessionSandbox {
  if (home.kind === 'memory') throw new Error('a home in memory has no sessions to read');
  return {
    apptainer,
    image,
    home: home.folder,
    mayWrite,
    ...(mayWrite ? { workspace } : {}),
    insideEnvironment: mayWrite ? { ...editorEnvironment } : {},
    runDirectoryParents,
  };
}
