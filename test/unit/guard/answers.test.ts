import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { useGuard } from '../../support/guardUnderTest';

describe('an answer to a finding', () => {
  const world = useGuard();
  beforeEach(() => world().guard.begin());
  const tasks = '.vscode/tasks.json';

  it('that takes it away, takes nothing as known that is made anew meanwhile', async () => {
    world().put(tasks, 'one');
    await world().finds(`new editor ${tasks}`);
    const taking = world().guard.takeAway(tasks);
    while (existsSync(world().at(tasks))) await setImmediate();
    world().put(tasks, 'two');
    await taking;
    await world().finds(`new editor ${tasks}`);
    assert.equal(world().guard.known(tasks), undefined);
    assert.equal((await world().guard.quarantined()).length, 1);
  });

  for (const answer of ['takeAway', 'allow'] as const) {
    it(`is none (${answer}) when what was gone is there again`, async () => {
      world().put(tasks, 'one');
      await world().finds(`new editor ${tasks}`);
      rmSync(world().at(tasks));
      await world().finds(`gone editor ${tasks}`);
      world().put(tasks, 'two');
      await world().guard[answer](tasks);
      await world().finds(`new editor ${tasks}`);
      assert.equal(world().guard.known(tasks), undefined);
    });
  }

  it('that allows it, takes as known what was compared, whatever is there a moment later', async () => {
    const paths = Array.from({ length: 40 }, (_, index) => `d${index}/.envrc`);
    for (const path of paths) world().put(path, 'one');
    await world().guard.lookAgain();
    const shown = new Map(
      world()
        .guard.list()
        .map(({ path, mark }) => [path, mark]),
    );
    assert.equal(shown.size, paths.length);
    for (const [ticks, path] of paths.entries()) {
      const allowing = world().guard.allow(path, shown.get(path));
      for (let tick = 0; tick < 6 * ticks; tick += 1) await setImmediate();
      world().put(path, 'two');
      if (await allowing) {
        const known = world().guard.known(path);
        assert.equal(known?.content, shown.get(path)?.content, `after ${ticks} ticks`);
        assert.equal(String(await world().guard.store.kept(known?.kept ?? '')), 'one');
      }
    }
    await world().guard.lookAgain();
    assert.equal(world().guard.list().length, paths.length, 'and each is a finding again');
  });

  it('that allows it, is for what was shown and not for what was found since', async () => {
    world().put('.envrc', 'one');
    await world().finds('new shell .envrc');
    const shown = world().finding('.envrc')?.mark;
    world().put('.envrc', 'two');
    await world().guard.lookAgain();
    assert.equal(await world().guard.allow('.envrc', shown), false);
    assert.equal(await world().guard.allow('.envrc', world().finding('.envrc')?.mark), true);
  });

  it('that allows something too large to be compared, is for that very file', async () => {
    world().put('.envrc', 'x'.repeat(1_100_000));
    await world().finds('new shell .envrc');
    world().put('.envrc', 'y'.repeat(1_100_000));
    assert.equal(await world().guard.allow('.envrc'), false);
  });
});
