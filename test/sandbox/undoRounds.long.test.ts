import { undoRounds } from './support/undoRounds';

// the long one is in test/soak: `npm run soak`
describe('undo in a git workspace that holds the agent’s home', () => {
  it('takes changes back and leaves the database in order, three times', async function () {
    this.timeout(180_000);
    await undoRounds(3);
  });
});
