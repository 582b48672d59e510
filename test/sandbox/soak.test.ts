import { runKillRounds } from './support/killRounds';
import { repaint } from './support/repaint';

// the long ones are in test/soak: `npm run soak`
describe('a short soak', () => {
  it('leaves nothing behind in 12 rounds of kills at random moments', async function () {
    this.timeout(180_000);
    await runKillRounds(12, 20261130);
  });

  it('keeps the supervisor’s memory flat while nobody or a deaf window looks at a busy screen', async function () {
    this.timeout(120_000);
    await Promise.all([repaint('none', 10), repaint('neverReads', 10)]);
  });
});
