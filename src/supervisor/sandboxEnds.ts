import { message, type Message } from '../sandbox/message';
import type { Verdict } from '../sandbox/verdict';

// Why a sandbox ends that did not end by itself, in words for people.

/** Why a sandbox can't go on without its gateway. */
export const gatewayFailed = message(
  'The gateway through which the agent reaches its model and the allowed hosts could not be started, or could not go on. The log says more. Start again; if that does not help, report it.',
);

export const notVerifiable = message(
  'The sandbox could not be verified for ten seconds, so it was ended. The computer may have run out of open files; the log says more.',
);

export const tooSlow = message(
  'Apptainer did not bring the container up within two minutes. Is the computer very busy, or the disk that holds the image very slow? Start again, or copy the image to a faster disk.',
);

/** Why a sandbox ends when its supervisor meets what it does not expect. */
export const supervisorFailed = message(
  'The process that keeps the sandbox met an error, so the sandbox was ended. The log says more. Start again; if that does not help, report it.',
);

/** Why a sandbox ends, or is refused, of which a fact does not hold. @param verdict the latest, if there is any */
export function brokenFact(verdict: Verdict | undefined): Message {
  const lines = verdict?.lines ?? [];
  // what was merely degraded before is not why it ends
  const line =
    lines.find(({ status }) => status === 'broken') ?? lines.find(({ status }) => status !== 'holds');
  return line?.detail ?? message('its facts could not be read');
}

export const notGone = message(
  'Something of the sandbox could not be ended: the kernel keeps it waiting, for example for a disk. It is killed as soon as it goes on.',
);
