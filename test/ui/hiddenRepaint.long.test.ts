import { repaintHidden } from './hiddenRepaint';

// ten minutes of it are in test/soak
describe('a busy screen that nobody sees', () => {
  it('keeps extension host and supervisor flat, and is the present one when it is shown', async function () {
    this.timeout(300_000);
    console.log(await repaintHidden(15));
  });
});
