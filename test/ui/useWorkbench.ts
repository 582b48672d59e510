import { AgentWorkbench, type AgentWorkbenchOptions } from './agentWorkbench';

/**
 * Opens a workbench for the tests of the suite around it, takes a picture of it when one of them fails, and closes it
 * after the last; returns the function that gives it to a test.
 */
export function useWorkbench(options: () => AgentWorkbenchOptions): () => AgentWorkbench {
  let workbench: AgentWorkbench | undefined;
  before(async () => {
    workbench = await AgentWorkbench.open(options());
  });
  afterEach(async function () {
    await workbench?.pictureFailure(this.currentTest);
  });
  after(async () => {
    await workbench?.close();
  });
  return () => {
    if (workbench === undefined) {
      throw new Error('no workbench is open');
    }
    return workbench;
  };
}
