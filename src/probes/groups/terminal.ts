import { message } from '../../sandbox/message';
import { byKernel, keepsFromTerminal } from '../judges';
import type { Attack } from '../inside/attack';
import { held, notHeld, type Probe } from '../probe';

const group = 'terminal';

/** ioctl(2) request TIOCSTI of <asm-generic/ioctls.h>: types one byte into the terminal. */
const typeByte = 0x5412;
/** The kernel takes 32 bits of the request; a filter may look at 64. */
const highBit = 2 ** 32;

/** What is typed; the terminal's echo shows it on the host if it got there. */
function typedMark(token: string, name: string): string {
  return `typed-${name}-${token}`;
}

function typing(name: string, title: Probe['title'], request: number): Probe {
  return {
    ...{ id: `terminal.${name}`, group, title, leavesNoTrace: true },
    attack: ({ plan, system }) => {
      const answers = [...typedMark(plan.token, name)].map((character) =>
        system.call('ioctl', 0, request, new Uint8Array([character.charCodeAt(0)])),
      );
      return [...new Set(answers)].join(' ');
    },
    judge: keepsFromTerminal((token) => typedMark(token, name)),
  };
}

/** A sequence that must not reach the terminal of the host as it is. */
function sequence(
  name: string,
  title: Probe['title'],
  make: (token: string) => string,
  mark: (token: string) => string = make,
): Probe {
  return {
    ...{ id: `terminal.${name}`, group, title, leavesNoTrace: true },
    attack: ({ plan, print }: Attack) => {
      print(make(plan.token));
      return 'printed';
    },
    judge: keepsFromTerminal(mark),
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const terminalProbes: readonly Probe[] = [
  typing('type', message('Type into the terminal (TIOCSTI)'), typeByte),
  typing(
    'typeHighBits',
    message('Type into the terminal, with high bits set in the request'),
    typeByte + highBit,
  ),
  {
    ...{ id: 'terminal.own', group, title: message('Share the terminal with a shell of the host') },
    attack: () => String(process.stdin.isTTY),
    judge: byKernel(({ sharesTerminal }) =>
      sharesTerminal
        ? notHeld(message('The host’s /proc shows that a process of the host has the same terminal.'))
        : held(message('The host’s /proc shows no process of the host on this terminal.')),
    ),
  },
  sequence('clipboard', message('Write the clipboard (OSC 52)'), (token) => `\x1b]52;c;${base64(token)}\x07`),
  sequence('clipboardRead', message('Read the clipboard (OSC 52)'), () => '\x1b]52;c;?\x07'),
  sequence(
    'title',
    message('Pass for another terminal by a title'),
    (token) => `\x1b]0;user@host-${token}\x07`,
  ),
  sequence(
    'link',
    message('Show a link that runs a command of the editor (OSC 8)'),
    (token) => `\x1b]8;;command:probe.${token}\x07open\x1b]8;;\x07`,
    (token) => `command:probe.${token}`,
  ),
  sequence(
    'report',
    message('Make the terminal type an answer (DECRQSS)'),
    () => '\x1bP$qm\x1b\\',
    () => '\x1bP$q',
  ),
  sequence('titleReport', message('Make the terminal type its title'), () => '\x1b[21t'),
  sequence(
    'editor',
    message('Speak to VS Code as its shell does (OSC 633)'),
    (token) => `\x1b]633;P;Cwd=/${token}\x07`,
    (token) => `633;P;Cwd=/${token}`,
  ),
  sequence(
    'image',
    message('Store a file by the terminal (OSC 1337)'),
    (token) => `\x1b]1337;File=name=${base64(token)};inline=0:AAAA\x07`,
    () => ']1337;File=',
  ),
];
