import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { isAlive, type SandboxIndexEntry } from './sandboxIndex';

/** The reaper needs well under a second; a busy machine may take longer. */
const goneMilliseconds = 10_000;
const pollMilliseconds = 50;

/**
 * Ends a sandbox whose supervisor does not answer (it hangs or was stopped): kills the supervisor, if the process is
 * still the one of the entry, and waits until the supervisor's reaper has ended the container and removed the run
 * directory.
 * @throws UserError `supervisor.notEnded` when something was left
 */
export async function endByForce(entry: SandboxIndexEntry): Promise<void> {
  if (!(await isAlive(entry))) return;
  process.kill(entry.supervisorPid, 'SIGKILL');
  const deadline = Date.now() + goneMilliseconds;
  while ((await isAlive(entry)) || existsSync(entry.runDirectory)) {
    if (Date.now() > deadline) {
      throw new UserError(
        'supervisor.notEnded',
        message(
          'The sandbox for {0} did not end completely: its folder {1} is still there. Look for “apptainer” in your list of processes.',
          entry.workspace,
          entry.runDirectory,
        ),
        { kind: 'showLog' },
      );
    }
    await delay(pollMilliseconds);
  }
}
