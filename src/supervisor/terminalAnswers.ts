/**
 * Whether a piece of input is nothing but what a terminal answers to a program's questions (ctlseqs of xterm): device
 * attributes and status, cursor position, modes, size, keyboard flags, colours, DCS reports. With two windows on one
 * sandbox both terminals answer, and only one answer may reach the program.
 */
export function isTerminalAnswer(input: string): boolean {
  return answers.test(input);
}

const answers =
  /^(?:\x1b\[(?:[?>=][\d;]*c|\??[\d;]*n|\d+;\d+R|\??[\d;]*\$y|[468];\d+;\d+t|\?\d*u)|\x1b\](?:4|1[0-9]);[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\)+$/;
