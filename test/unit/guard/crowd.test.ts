import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mostInFolder, scanTree } from '../../../src/guard/scanTree';
import { useGuard } from '../../support/guardUnderTest';

/** Makes many files, in a process of its own, as an agent does. */
function fill(folder: string, count: number): void {
  const script = `const fs = require('fs');
    fs.mkdirSync(process.argv[1], { recursive: true });
    for (let n = 0; n < ${count}; n += 1) fs.closeSync(fs.openSync(process.argv[1] + '/' + n, 'w'));`;
  execFileSync(process.execPath, ['-e', script, folder]);
}

describe('a folder with too many files', () => {
  const world = useGuard();

  it('is a finding, and what is elsewhere is found', async () => {
    const { guard } = world();
    world().put('crowd/first');
    await guard.begin();
    fill(world().at('crowd'), mostInFolder + 1);
    world().put('.vscode/tasks.json', '1');
    await world().finds('new crowded crowd', 'new editor .vscode/tasks.json');
    world().put('crowd/.envrc', 'x');
    await world().finds('new crowded crowd', 'new editor .vscode/tasks.json', 'new shell crowd/.envrc');
    assert.equal(await guard.allow('crowd'), true);
    await guard.settle();
    assert.equal(guard.isIncomplete, false, 'all of it was looked at when nobody waited');
    await world().finds('new editor .vscode/tasks.json', 'new shell crowd/.envrc');
  });

  it('is a finding whatever it is called, if only files of that name are looked at', async () => {
    const { guard } = world();
    world().put('Makefile/first');
    await guard.begin();
    fill(world().at('Makefile'), mostInFolder + 1);
    await world().finds('new crowded Makefile');
    world().put('Makefile/.envrc', 'x');
    await world().finds('new crowded Makefile', 'new shell Makefile/.envrc');
  });

  it('is looked at after all others, and in a hurry not to its end', async () => {
    fill(world().at('a'), mostInFolder + 1);
    world().put('z/last', '');
    const look = async (isHurried: boolean): Promise<{ seen: string[]; isComplete: boolean }> => {
      const seen: string[] = [];
      const visitor = {
        ...{ enter: () => undefined, closed: () => undefined, listed: () => undefined },
        see: ({ path }: { path: string }) => void seen.push(path),
        isLookedInto: () => true,
      };
      return { isComplete: await scanTree(world().workspace, '', visitor, { isHurried }), seen };
    };
    const whole = await look(false);
    assert.deepEqual(whole.seen.slice(0, 3).sort(), ['a', 'z', 'z/last']);
    assert.equal(whole.seen.length, mostInFolder + 1 + 3);
    assert.equal(whole.isComplete, true);
    const hurried = await look(true);
    assert.ok(hurried.seen.length <= mostInFolder + 3);
    assert.equal(hurried.isComplete, false);
  });
});
