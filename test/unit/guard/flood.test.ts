import assert from 'node:assert/strict';
import type { Finding } from '../../../src/guard/finding';
import { Findings } from '../../../src/guard/findings';
import type { Mark } from '../../../src/guard/mark';
import type { RuleId } from '../../../src/guard/ruleTexts';
import { useGuard } from '../../support/guardUnderTest';
import { waitUntil } from '../../support/waitUntil';

describe('more findings than are shown', () => {
  const world = useGuard();

  it('hide none that matters more, and are not taken as known by the next start', async () => {
    await world().guard.begin();
    world().guard.dispose();
    for (let count = 0; count < 320; count += 1) world().put(`d${count}/.vscode/settings.json`, '{"a": 1}');
    const guard = await world().open();
    await guard.follow();
    assert.equal(guard.list().length, 300);
    assert.equal(guard.more, 20);
    world().put('.vscode/tasks.json', '{"evil": 1}');
    await waitUntil('the one at the top', () => guard.list()[0]?.path === '.vscode/tasks.json', 20_000);
    assert.equal(guard.more, 21);
    await guard.settle();
    await guard.begin();
    assert.equal(guard.more, 21);
    assert.equal(await guard.allow('.vscode/tasks.json'), true);
    assert.equal(guard.list().length, 300, 'the next one is shown');
    assert.equal(guard.more, 20);
  });

  it('wait until they are found again when they could not be kept', async () => {
    await world().guard.begin();
    world().guard.dispose();
    for (let count = 0; count < 3005; count += 1) world().put(`d/${count}.mk`, 'all:');
    const guard = await world().open();
    await guard.restore();
    assert.equal(guard.list().length + guard.more, 3005);
    world().put('sub/Makefile', 'all:');
    await guard.begin();
    assert.equal(guard.known('sub/Makefile'), undefined, 'what was left out can’t be told from this');
    assert.equal(guard.list().length + guard.more, 3006);
  });
});

describe('the list of findings', () => {
  const markOf = (rule: RuleId, identity = '1'): Mark => ({
    ...{ rule, kind: 'file', identity, content: identity },
  });
  const pathsOf = (list: readonly Finding[]): string[] => list.map(({ path }) => path);

  it('keeps what lies nearest to the top, and counts each of the others once', () => {
    const findings = new Findings();
    const count = 3000;
    for (let number = 0; number < count; number += 1) {
      findings.compare(`a/b/${number}`, markOf('editor'), 1);
      findings.compare(`n/${number}`, markOf('build'), 1);
    }
    for (let round = 0; round < 3; round += 1) findings.compare('a/c/x', markOf('editor', `${round}`), 1);
    assert.equal(findings.unkept, 1);
    findings.compare('a/x', markOf('editor'), 1);
    findings.compare('x', markOf('editor'), 1);
    assert.equal(findings.unkept, 3);
    assert.deepEqual(pathsOf(findings.list()).slice(0, 2), ['x', 'a/x']);
    assert.equal(findings.all().length, 2 * count);
    assert.equal(findings.list().length + findings.more, 2 * count + 3);
  });

  it('keeps no more of long names than can be read again, and counts the others', () => {
    const findings = new Findings();
    const long = '\u0001'.repeat(4000);
    for (let number = 0; number < 400; number += 1)
      findings.compare(`a/${long}${number}`, markOf('editor'), 1);
    const bytes = (): number => Buffer.byteLength(JSON.stringify(findings.all()));
    assert.ok(bytes() > 6e6 && bytes() < 8e6, `${bytes()} bytes`);
    assert.equal(findings.all().length + findings.unkept, 400);
    findings.compare('x', markOf('editor'), 1);
    assert.deepEqual(pathsOf(findings.list()).slice(0, 1), ['x']);
    assert.equal(findings.all().length + findings.unkept, 401);
  });

  it('says of those that are not shown, too, that they are gone, as they may have acted', () => {
    const findings = new Findings();
    for (let number = 0; number < 301; number += 1) findings.compare(`f${number}`, markOf('editor'), 1);
    const hidden = findings.all().find(({ path }) => !pathsOf(findings.list()).includes(path));
    findings.compare(hidden?.path ?? '', undefined, 2);
    assert.equal(findings.get(hidden?.path ?? '')?.isGone, true);
    assert.equal(findings.more, 1);
  });
});
