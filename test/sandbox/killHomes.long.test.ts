import { killHomes } from './support/killHomes';

// the long one is in test/soak: `npm run soak`
describe('an agent’s home whose sandbox is killed', () => {
  it('has everything that opencode had committed, in four rounds at random moments', async function () {
    this.timeout(180_000);
    await killHomes(4, 20261130);
  });
});
