import { damagePlaces } from '../sandbox/support/hostileBytes';
import { killHomes } from '../sandbox/support/killHomes';
import { runKillRounds } from '../sandbox/support/killRounds';
import { repaint } from '../sandbox/support/repaint';
import { undoRun } from '../sandbox/support/undoneRun';
import { shareHome } from '../sandbox/support/sharedHome';
import { undoRounds } from '../sandbox/support/undoRounds';
import { repaintHidden } from '../ui/hiddenRepaint';

const fromEnvironment = (name: string, usual: number): number =>
  Number(process.env[`SANDBOXED_AGENT_SOAK_${name}`] ?? usual);

const rounds = fromEnvironment('ROUNDS', 100);
const seed = fromEnvironment('SEED', Date.now() % 1_000_000);
const seconds = fromEnvironment('SECONDS', 600);

describe('soak', function () {
  this.timeout(0);

  it(`leaves nothing behind in ${rounds} rounds of kills at random moments (seed ${seed})`, () =>
    runKillRounds(rounds, seed));

  it('brings ten thousand files back to the byte', () => undoRun(10_000));

  it(`loses nothing that opencode had committed in ${rounds} rounds of kills while it writes (seed ${seed})`, () =>
    killHomes(rounds, seed));

  it(`reads and repairs a database that is broken at a thousand places, one after another (seed ${seed})`, async () => {
    const outcomes = await damagePlaces(1000, seed);
    console.log([...outcomes].map(([outcome, times]) => `${outcome} ${times}`).join(', '));
  });

  it('leaves the database in order in 50 rounds of undo in a git workspace', () => undoRounds(50));

  it('keeps an agent’s home in order that three sandboxes share, in ten rounds', () => shareHome(10, 3, 40));

  it(`keeps the supervisor’s memory flat for ${seconds} s of a busy screen`, async () => {
    const seen = await Promise.all([repaint('none', seconds), repaint('neverReads', seconds)]);
    console.log(seen.join('\n'));
  });

  it(`keeps extension host and supervisor flat for ${seconds} s of a busy screen that nobody sees`, async () => {
    console.log(await repaintHidden(seconds));
  });
});
