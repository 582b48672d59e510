import { proofSummary } from '../ui/proof/proofContent';
import { chooseFolder } from '../ui/window';
import type { Services } from './services';

/** Tries everything to get out of a sandbox like the agent's, and shows what came of it. */
export async function proveSandbox({ proof, say }: Services): Promise<void> {
  const run = await proof.runner.run(await chooseFolder());
  proof.report.show(run);
  void say.information(proofSummary(run.judged));
}
