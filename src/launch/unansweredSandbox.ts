import { startTimeMilliseconds } from '../host/procfs';
import type { SandboxIndexEntry } from '../host/sandboxIndex';
import { message, type Message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import type { SandboxSummary } from '../supervisor/protocol';

/** What to tell of a supervisor that does not answer. */
export const unansweredDescription = message('The process that keeps this sandbox does not answer.');

/** The error for somebody who wanted something of it. @param cause for the log */
export function unanswered(cause: unknown): UserError {
  return new UserError('supervisor.notAnswering', unansweredDescription, { kind: 'showLog' }, { cause });
}

/** Why a sandbox could not be reached, in words for people. */
export function describeUnreachable(reason: unknown): Message {
  return reason instanceof UserError ? reason.description : unansweredDescription;
}

/**
 * What the index alone knows of a sandbox: no image (an empty text), and of the network only that nobody can say that
 * it is closed.
 */
export function summaryFromIndex(entry: SandboxIndexEntry): SandboxSummary {
  const { id, kind, workspace, supervisorPid, supervisorStartTime } = entry;
  return {
    id,
    kind,
    workspace,
    image: '',
    network: 'open',
    startedAt: startTimeMilliseconds(supervisorStartTime),
    supervisorPid,
  };
}
