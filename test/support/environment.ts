// What the runner (scripts/test/) tells the test stages through environment variables.

/** Names of the variables; see the functions below for what each holds. */
export const testVariable = {
  apptainer: 'SANDBOXED_AGENT_TEST_APPTAINER',
  image: 'SANDBOXED_AGENT_TEST_IMAGE',
  shellImage: 'SANDBOXED_AGENT_TEST_SHELL_IMAGE',
  registry: 'SANDBOXED_AGENT_TEST_REGISTRY',
  debianPackages: 'SANDBOXED_AGENT_TEST_DEBIAN_PACKAGES',
  hostNode: 'SANDBOXED_AGENT_TEST_HOST_NODE',
  hostFolder: 'SANDBOXED_AGENT_TEST_HOST_FOLDER',
  oldestHostNode: 'SANDBOXED_AGENT_TEST_OLDEST_HOST_NODE',
  oldestHostFolder: 'SANDBOXED_AGENT_TEST_OLDEST_HOST_FOLDER',
  results: 'SANDBOXED_AGENT_TEST_RESULTS',
} as const;

/**
 * The value of an environment variable that a test cannot do without.
 *
 * @throws Error with its fix when it is not set
 */
export function requireVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(
      `${name} is not set: start the tests with \`npm test\`, which sets it (see CONTRIBUTING.md, "Tests")`,
    );
  }
  return value;
}

/** Path of the `apptainer` program. */
export const apptainer = (): string => requireVariable(testVariable.apptainer);

/** Path of a SIF with opencode, git, ripgrep and a shell. */
export const image = (): string => requireVariable(testVariable.image);

/** Path of a tiny SIF with a shell and without opencode. */
export const shellImage = (): string => requireVariable(testVariable.shellImage);

/** Path of a program that serves an image registry. */
export const registry = (): string => requireVariable(testVariable.registry);

/** Path of a folder with packages of Debian: those of a smallest one in `base`, what definitions install in `more`. */
export const debianPackages = (): string => requireVariable(testVariable.debianPackages);

/** The newest VS Code that the tests know, or the oldest that the extension supports. */
export type VscodeRelease = 'newest' | 'oldest';

/** A VS Code server for tests: its own Node, and the folder that holds `out/server-main.js`. */
export function vscodeHost(release: VscodeRelease = 'newest'): {
  readonly nodeBinary: string;
  readonly vscodeFolder: string;
} {
  const isNewest = release === 'newest';
  return {
    nodeBinary: requireVariable(isNewest ? testVariable.hostNode : testVariable.oldestHostNode),
    vscodeFolder: requireVariable(isNewest ? testVariable.hostFolder : testVariable.oldestHostFolder),
  };
}
