import { shareHome } from './support/sharedHome';

// the long one is in test/soak: `npm run soak`
describe('an agent’s home on a disk', () => {
  it('is shared by two sandboxes that write at the same time', async function () {
    this.timeout(180_000);
    await shareHome(2, 2, 8);
  });
});
