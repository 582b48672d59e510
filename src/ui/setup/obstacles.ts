import { message } from '../../sandbox/message';
import { refuseHost } from '../../sandbox/refusals';
import { UserError } from '../../sandbox/userError';

/** What of this window decides what may be done in it. */
export interface WindowFacts {
  /** `process.platform` */
  readonly platform: string;
  /** -1 where the system has none */
  readonly userId: number;
  /** URI schemes of the workspace folders */
  readonly folderSchemes: readonly string[];
  readonly isTrusted: boolean;
}

/** Why no program of ours may be run for this window, if so, with what to do about it. */
export function programObstacle({ platform, userId, isTrusted }: WindowFacts): UserError | undefined {
  const unsuitableHost = refuseHost({ platform, uid: userId });
  if (unsuitableHost || isTrusted) {
    return unsuitableHost;
  }
  return new UserError(
    'window.notTrusted',
    message('This workspace is in Restricted Mode. Trust it to let an agent work in it.'),
    { kind: 'manageTrust' },
  );
}

/** The first thing that stands in the way of a sandbox in this window, if any, with what to do about it. */
export function firstObstacle(facts: WindowFacts): UserError | undefined {
  return programObstacle(facts) ?? folderObstacle(facts.folderSchemes);
}

function folderObstacle(schemes: readonly string[]): UserError | undefined {
  if (schemes.includes('file')) {
    return undefined;
  }
  return schemes.length === 0
    ? new UserError(
        'window.noFolder',
        message('No folder is open. Open the folder in which the agent shall work.'),
        { kind: 'openFolder' },
      )
    : new UserError(
        'window.virtual',
        message(
          'This folder is not on a disk of this computer, so no sandbox can be given it. Open one that is.',
        ),
        { kind: 'openFolder' },
      );
}
