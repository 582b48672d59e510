import type { SandboxSpecification } from '../../src/sandbox/specification';

/** Of every path in it. */
export const identity = { device: '1', inode: '2', size: '3', changedTime: '4' };

/** An agent that nobody starts: its paths are only names. */
export function exampleSpecification(changes: Partial<SandboxSpecification> = {}): SandboxSpecification {
  return {
    id: '0123456789abcdef',
    kind: 'agent',
    apptainer: '/usr/bin/apptainer',
    image: { path: '/images/opencode.sif', identity },
    workspace: { path: '/data/w', identity },
    home: { kind: 'folder', folder: { path: '/data/w/agent-home', identity } },
    network: 'none',
    access: { allowedHosts: [], models: [] },
    opencodeConfiguration: {},
    insideEnvironment: { COLORTERM: 'truecolor' },
    ptyModules: ['/pty'],
    runDirectoryParents: ['/tmp'],
    temporaryFiles: { parents: ['/tmp'], limitBytes: 1e9 },
    indexDirectory: '/index',
    detachedTimeoutMilliseconds: 0,
    ...changes,
  };
}
