import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { SandboxEnd } from '../../supervisor/protocol';

/**
 * What happened, in our own words: never text from inside the sandbox.
 * @param render turns a message into text that is safe to show
 */
export function endText(
  { reason, exitCode, explanation }: SandboxEnd,
  render: typeof formatMessage,
): Message {
  switch (reason) {
    case 'exited':
      return exitCode === undefined
        ? message('The program in the sandbox has ended.')
        : message('The program in the sandbox has ended with exit code {0}.', exitCode);
    case 'stopped':
      return message('The sandbox was stopped.');
    case 'refused':
      return message(
        'The sandbox was not isolated as it should be, so nothing of the agent was run: {0}.',
        render(explanation ?? unknownFact),
      );
    case 'broken':
      return message(
        'The sandbox was no longer isolated as it should be, and was ended: {0}.',
        render(explanation ?? unknownFact),
      );
    case 'failed':
      return explanation ?? message('The sandbox could not be started. What Apptainer said is in the log.');
    case 'detachedTooLong':
      return message('The sandbox was ended because no window had been attached to it for too long.');
    case 'deadline':
      return message('The sandbox was ended because its time was over.');
  }
}

const unknownFact = message('a fact could not be verified');

/** Whether somebody should be told, even if they look elsewhere. */
export function isAlarming({ reason }: SandboxEnd): boolean {
  return reason === 'refused' || reason === 'broken' || reason === 'failed';
}
