import { message } from '../../sandbox/message';
import { attempt, read } from '../inside/attack';
import { byKernel } from '../judges';
import { held, knownLimit, notHeld, type Probe } from '../probe';
import { spawn } from 'node:child_process';
import { floodBytes } from '../seen';

const group = 'limits';

/** So many programs that let go of everything try to stay. */
const daemons = 12;

/** A tmpfs of its own has 64 MB (Apptainer's `sessiondir max size`); a limit that is half of the memory is none. */
const largestTemporary = 1024 * 1024 * 1024;

/** A window that shows nothing for a while is sent no more than this; 200,000 units are the supervisor's limit. */
const mostUnits = 1024 * 1024;

/** So much the kernel may still have in its hands when the last was written. */
const unreadBytes = 256 * 1024;

const noLimit = message(
  'The host’s /proc shows no limit below that of the user. This extension sets none: without root only control groups that the system has handed to the user could do it, and a limit of each process (ulimit) would be none for all of them, or one for the user’s other programs as well.',
);

const ownTemporary: Probe['judge'] = byKernel(({ temporaryBytes }) =>
  temporaryBytes !== undefined && temporaryBytes <= largestTemporary
    ? held(
        message('Seen from the host, /tmp is the sandbox’s own and holds {0} MB.', temporaryBytes / 1048576),
      )
    : notHeld(message('Seen from the host, /tmp is the host’s, or holds more than 1 GB.')),
);

export const limitProbes: readonly Probe[] = [
  {
    ...{ id: 'limits.stop', group, title: message('Go on running after the sandbox was ended') },
    attack: () => {
      for (let count = 0; count < daemons; count += 1) {
        spawn('/bin/sh', ['-c', 'trap "" HUP TERM INT; sleep 60 & sleep 60 & wait; sleep 60'], {
          detached: true,
          stdio: 'ignore',
        }).unref();
      }
      return `${daemons} started`;
    },
    // each has a shell and two sleepers, which inherit what is ignored
    isTried: ({ kernel }) =>
      (kernel?.processes ?? []).filter(({ ignoresEnd }) => ignoresEnd).length > 2 * daemons,
    judge: ({ end }) => {
      if (!end) return notHeld(message('The host could not look, so it proves nothing.'));
      return end.left === 0
        ? held(message('A second after its end the host saw no process of the sandbox.'))
        : notHeld(message('A second after its end {0} processes of the sandbox were there.', end.left));
    },
  },
  {
    ...{ id: 'limits.processes', group, title: message('Have as many processes as the user') },
    attack: () => read('/proc/self/limits').slice(0, 60),
    judge: byKernel(({ processLimit }) =>
      processLimit === undefined
        ? knownLimit(noLimit)
        : held(message('The host’s /proc shows a limit of {0}.', processLimit)),
    ),
  },
  {
    ...{ id: 'limits.memory', group, title: message('Use as much memory as the user') },
    attack: () => read('/proc/meminfo').slice(0, 60),
    judge: byKernel(({ memoryLimit }) =>
      memoryLimit === undefined
        ? knownLimit(noLimit)
        : held(message('The host’s /proc shows a limit of {0} bytes.', memoryLimit)),
    ),
  },
  {
    ...{ id: 'limits.temporary', group, title: message('Fill the disk through /tmp') },
    attack: () => attempt(() => read('/proc/mounts').slice(0, 60)),
    judge: (seen, probe) =>
      seen.next?.endsWhenFull === true
        ? held(message('A start with less room was ended when it had written more than it may.'))
        : ownTemporary(seen, probe),
  },
  {
    ...{ id: 'limits.flood', group, title: message('Flood a window that does not keep up') },
    inapplicable: ({ target }) =>
      target === 'ours'
        ? undefined
        : message('There VS Code’s own terminal would decide; it is not part of this.'),
    // it comes last, when everybody has said what they had to say
    attack: () => 'later',
    isTried: ({ floodRead = 0 }) => floodRead >= floodBytes - unreadBytes,
    judge: ({ floodedUnits }) => {
      if (floodedUnits === undefined) return notHeld(message('The flood did not end, so it proves nothing.'));
      const [written, got] = [floodBytes, floodedUnits].map((bytes) => Math.ceil(bytes / 1024));
      return floodedUnits < mostUnits
        ? held(message('While the program wrote {0} KB, the window was sent {1} KB.', written ?? 0, got ?? 0))
        : notHeld(
            message('While the program wrote {0} KB, the window was sent {1} KB.', written ?? 0, got ?? 0),
          );
    },
  },
];
