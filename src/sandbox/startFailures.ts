import { message, type Message } from './message';

/** Why a container did not start. */
export interface StartFailure {
  /** what has to be put right; undefined when nobody knows */
  readonly topic?:
    'userNamespaces' | 'fuse' | 'helpers' | 'configuration' | 'seccomp' | 'image' | 'space' | undefined;
  readonly meaning: Message;
}

/**
 * What Apptainer prints when it can't start a container (measured with 1.4.5, or read in its source), and what it
 * means. Matched against what it printed before the gate; only our own words are shown.
 */
const causes: readonly (StartFailure & { readonly pattern: RegExp })[] = [
  {
    pattern: /maximum number of user namespaces exceeded/,
    topic: 'userNamespaces',
    meaning: message(
      'User namespaces are switched off on this computer (user.max_user_namespaces is too low). An administrator can raise it with sysctl.',
    ),
  },
  {
    pattern:
      /unprivileged_userns_clone|not allowed to create user namespace|Failed to create user namespace|Could not write info to setgroups|user namespace mappings/,
    topic: 'userNamespaces',
    meaning: message(
      'This computer does not let you make user namespaces, which Apptainer needs. An administrator can allow it; on Ubuntu by installing the package of Apptainer that ships an AppArmor profile (1.3.4 or later).',
    ),
  },
  {
    pattern: /user names?pace needed but not allowed by configuration/,
    topic: 'configuration',
    meaning: message(
      'The configuration of Apptainer on this computer forbids user namespaces (apptainer.conf: allow user ns).',
    ),
  },
  {
    pattern: /fuse: device (\/dev\/fuse )?not found|modprobe fuse/,
    topic: 'fuse',
    meaning: message(
      '/dev/fuse is missing on this computer: an administrator can load the kernel module fuse.',
    ),
  },
  {
    pattern: /failed to open \/dev\/fuse: Permission denied/,
    topic: 'fuse',
    meaning: message('You may not open /dev/fuse: an administrator can allow it (chmod 666 /dev/fuse).'),
  },
  {
    pattern: /squashfuse not found|"unsquashfs": executable file not found/,
    topic: 'helpers',
    meaning: message(
      'The program squashfuse is missing: install the packages squashfuse and squashfs-tools.',
    ),
  },
  {
    pattern: /could not open image .*permission denied/i,
    topic: 'image',
    meaning: message('The image can’t be read: its permissions don’t let you.'),
  },
  // before what follows: its words begin with those of a damaged image
  {
    pattern: /architecture \(\w+\) could not run on the host's|exec format error/,
    topic: 'image',
    meaning: message('The image was made for another processor than this computer has.'),
  },
  {
    pattern: /could not open image .*: no such file or directory|image .*: no such file/,
    topic: 'image',
    meaning: message('The image does not exist any more. Pull it again, or choose another one.'),
  },
  {
    pattern: /image format not recognized|trying to read the squashfs image|could not open image/,
    topic: 'image',
    meaning: message('The image is damaged or is not an Apptainer image. Pull it again.'),
  },
  {
    pattern: /user bind control disabled/,
    topic: 'configuration',
    meaning: message(
      'The configuration of Apptainer on this computer forbids binding folders (apptainer.conf: user bind control).',
    ),
  },
  {
    pattern: /seccomp (requested but )?(is )?not (enabled|supported)/i,
    topic: 'seccomp',
    meaning: message(
      'Apptainer on this computer can’t filter system calls (seccomp), which the sandbox needs.',
    ),
  },
  {
    pattern: /no space left on device|disk quota exceeded/,
    topic: 'space',
    meaning: message('A disk is full, or your quota is used up.'),
  },
];

/** Why Apptainer ended before its container reached the gate. `output` is what it printed. */
export function explainStartFailure(output: string): Message {
  return findStartFailure(output).meaning;
}

/** As {@link explainStartFailure}, with what it is about. */
export function findStartFailure(output: string): StartFailure {
  const cause = causes.find(({ pattern }) => pattern.test(output));
  return cause
    ? { topic: cause.topic, meaning: cause.meaning }
    : { meaning: message('Apptainer could not start the container. What it said is in the log.') };
}

/** Why the program in the sandbox ended at once with a status that means "not found" (127, POSIX 2.8.2). */
export const noOpencode: Message = message(
  'The image has no program called opencode. Choose another image, or use Open Shell, which works without it.',
);

/**
 * Why nothing of the agent's ran although the image has an `opencode`: one that is older than 1.1.56 ignores the
 * configuration in /etc/opencode, by which prompts go only to models that somebody chose, or wants the network at its
 * start (measured: 0.1.174 to 1.1.34 do not work, 1.1.56 and later do), or it is something else by that name, which
 * can't run a script of ours.
 */
export const unsuitableOpencode: Message = message(
  'The opencode in the image is too old for this extension, or is another program of that name. Choose an image with opencode 1.1.56 or later.',
);
