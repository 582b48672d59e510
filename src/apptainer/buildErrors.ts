import { type Message, message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { explainPullFailure } from './pullErrors';
import { saysSo } from './saysSo';

/** What Apptainer prints when a build fails, a specific text before one that is in many. */
const knownFailures: readonly (readonly [code: string, pattern: RegExp, description: Message])[] = [
  [
    'build.noIdentities',
    /newuidmap was not found|newgidmap was not found/,
    message(
      'This build needs several users in the image, for which the programs newuidmap and newgidmap are missing (package uidmap). An administrator can install them.',
    ),
  ],
  [
    'build.oneUser',
    /^E: setgroups \d+ failed|error setting ownership of|Cannot change ownership to uid/m,
    message(
      'A command of %post wanted to be another user, or to give files to one. Without the package fakeroot or uidmap, which an administrator can install, a build here has one user alone. For apt-get it is enough to call it so: {0}',
      'apt-get -o APT::Sandbox::User=root …',
    ),
  ],
  [
    'build.post',
    /while running %post section/,
    message('A command of the section %post has failed. The last lines of the log show which one.'),
  ],
  [
    'build.test',
    /%test section|test script|testscript/,
    message('The image was built, but its %test has failed. The log shows why.'),
  ],
  [
    'build.definition',
    /while parsing definition|unable to parse|invalid definition|build vars? .* (are|is) not defined|unused build/i,
    message('The definition can’t be read. The log shows where.'),
  ],
];

/** The error for a person when `apptainer build` has failed. @param output what it printed */
export function explainBuildFailure(output: string, cause: unknown): UserError {
  const [code, , description] = knownFailures.find(([, pattern]) => saysSo(output, pattern)) ?? [];
  if (code !== undefined && description !== undefined) {
    return new UserError(code, description, { kind: 'showLog' }, { cause });
  }
  const asPull = explainPullFailure(output, '', '', cause);
  // the rest of its texts name the source, which is a part of the definition here
  return ['pull.noSpace', 'pull.cacheFull', 'pull.noexec', 'pull.noMksquashfs'].includes(asPull.code)
    ? asPull
    : new UserError(
        'build.failed',
        message('The image could not be built. The log shows what Apptainer said.'),
        { kind: 'showLog' },
        { cause },
      );
}
