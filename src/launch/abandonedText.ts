import type { Abandoned } from '../host/abandoned';
import { message, type Message } from '../sandbox/message';

/** What happened to a sandbox that a sweep found, for its user; nothing in it comes from the sandbox. */
export function abandonedText({ entry, killed, left, isRemoved }: Abandoned): Message {
  const { workspace, runDirectory, temporaryFiles } = entry;
  if (left.length > 0) {
    return message(
      'A sandbox for {0} was left alone, because the process that keeps it was killed. Not all of it can be ended: {1} is still running. It waits for the kernel, for example for a disk, and is killed as soon as it goes on; if not, restart the computer.',
      workspace,
      left.map(({ pid }) => pid).join(', '),
    );
  }
  if (!isRemoved) {
    return message(
      'A sandbox for {0} has ended without cleaning up, and {1} can’t be removed. Remove it yourself.',
      workspace,
      [runDirectory, ...(temporaryFiles === undefined ? [] : [temporaryFiles])].join(', '),
    );
  }
  return killed.length > 0
    ? message(
        'A sandbox for {0} was left alone, because the process that keeps it was killed. What was left of it has been ended.',
        workspace,
      )
    : message(
        'A sandbox for {0} had ended without cleaning up, because it was killed or the computer was restarted. Its files have been removed.',
        workspace,
      );
}
