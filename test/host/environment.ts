/** Holds a JSON object of variables for the launcher to give to the extension host, and to nothing before it. */
export const hostEnvironmentVariable = 'SANDBOXED_AGENT_HOST_ENVIRONMENT';

/** Holds a `VscodeRelease`: which VS Code server the launcher starts. */
export const hostReleaseVariable = 'SANDBOXED_AGENT_HOST_RELEASE';

/** Holds a JSON array of the compiled test files that the suite in the extension host runs. */
export const testFilesVariable = 'SANDBOXED_AGENT_HOST_TEST_FILES';

/** Holds mocha's `--grep` for the suite in the extension host. */
export const testPatternVariable = 'SANDBOXED_AGENT_HOST_TEST_PATTERN';

/** Set by a VS Code, or by npm inside one, for its own children: another VS Code must not take them for its own. */
const inheritedFromVscode = /^(VSCODE_|ELECTRON_RUN_AS_NODE$|NODE_OPTIONS$)/;

/** An environment without what a VS Code around us (a terminal in it, say) has put there. */
export function withoutVscode(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !inheritedFromVscode.test(name)));
}
