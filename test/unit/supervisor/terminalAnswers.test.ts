import assert from 'node:assert/strict';
import { isTerminalAnswer } from '../../../src/supervisor/terminalAnswers';

describe('isTerminalAnswer', () => {
  for (const answer of [
    '\x1b[?62;4c',
    '\x1b[>0;276;0c',
    '\x1b[0n',
    '\x1b[24;80R',
    '\x1b[?2026;2$y',
    '\x1b[8;30;120t',
    '\x1b[?5u',
    '\x1b]11;rgb:0000/0000/0000\x1b\\',
    '\x1b]10;rgb:ffff/ffff/ffff\x07',
    '\x1bP>|xterm.js(6.0.0)\x1b\\',
    '\x1b[0n\x1b[?62;4c',
  ]) {
    it(`knows ${JSON.stringify(answer)}`, () => assert.equal(isTerminalAnswer(answer), true));
  }

  for (const typed of [
    'a',
    '\r',
    '\x1b',
    '\x1b[A',
    '\x1b[1;5C',
    '\x1b[<0;1;1M',
    '\x1b[200~paste\x1b[201~',
    '\x1b[13;2u',
    'x\x1b[0n',
    '',
  ]) {
    it(`lets ${JSON.stringify(typed)} through`, () => assert.equal(isTerminalAnswer(typed), false));
  }
});
