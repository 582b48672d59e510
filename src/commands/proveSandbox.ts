import { countHeld } from '../probes/result';
import { message } from '../sandbox/message';
import { chooseFolder } from '../ui/window';
import type { Services } from './services';

/** Tries everything to get out of a sandbox like the agent's, and shows what came of it. */
export async function proveSandbox({ proof, say }: Services): Promise<void> {
  const run = await proof.runner.run(await chooseFolder());
  proof.report.show(run);
  const { held, judged } = countHeld(run.judged);
  void say.information(
    message('{0} of {1} attempts to get out were held. The report says which.', held, judged),
  );
}
