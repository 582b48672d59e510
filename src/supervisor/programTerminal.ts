import type { IPty } from 'node-pty';
import { AnswerBudget } from './answerBudget';
import { EscapeFilter, type EscapeFilterOptions } from './escapeFilter';
import { LazyScreen } from './lazyScreen';
import { firstDimensions } from './pseudoTerminal';
import { TerminalClients } from './terminalClients';

/** Puts a screen and windows between the program's terminal and its users. */
export function connectTerminals(
  pty: IPty,
  options: EscapeFilterOptions,
): { readonly terminals: TerminalClients; readonly screen: Pick<LazyScreen, 'prepare'> } {
  const filter = new EscapeFilter(options);
  const answers = new AnswerBudget();
  const screen = new LazyScreen(firstDimensions, (answer) => {
    // else the window's own terminal answers the program's queries
    if (!terminals.areAnswering && answers.allows(answer.length)) {
      pty.write(answer);
    }
  });
  let isOpen = true;
  pty.onExit(() => {
    isOpen = false;
  });
  const terminals = new TerminalClients(screen, {
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    resize: ({ columns, rows }) => {
      // a terminal that is gone has no size: node-pty throws
      if (isOpen) {
        pty.resize(columns, rows);
      }
    },
  });
  pty.onData((data) => terminals.write(filter.filter(data)));
  return { terminals, screen };
}
