import assert from 'node:assert/strict';
import { commandIds } from '../../../src/contributions';
import { checkSetup } from '../../../src/setup/checkSetup';
import type { SetupFacts } from '../../../src/setup/facts';
import type { Fix } from '../../../src/setup/line';
import { goodFacts, noApptainer } from './someFacts';

describe('what is offered where there is no Apptainer', () => {
  const candidates = ['/sw/apptainer/1.4/bin/apptainer'];

  function fixes(changes: Partial<SetupFacts>): readonly Fix[] {
    const lines = checkSetup({
      ...goodFacts,
      trial: { kind: 'notTried' },
      apptainer: noApptainer,
      ...changes,
    });
    return lines.find(({ id }) => id === 'apptainer')?.fixes ?? [];
  }
  const isUnpacking = (fix: Fix): boolean =>
    fix.kind === 'action' &&
    fix.action.kind === 'runCommand' &&
    fix.action.command === commandIds.unpackApptainer;

  it('is a program that nobody has chosen, by its name, instead of an installation', () => {
    const offered = fixes({ candidates });
    assert.deepEqual(offered[0], { kind: 'useProgram', path: candidates[0] });
    assert.ok(!offered.some(({ kind }) => kind === 'commands'));
    assert.ok(!offered.some(isUnpacking));
  });

  it('is to unpack it without root where that can work', () => {
    assert.ok(fixes({}).some(isUnpacking));
    assert.ok(!fixes({ hasApt: false }).some(isUnpacking));
    assert.ok(!fixes({ fuse: 'forbidden' }).some(isUnpacking));
    // it would have no profile
    const userNamespaces = { ...goodFacts.userNamespaces, appArmorRestriction: 1 };
    assert.ok(!fixes({ userNamespaces }).some(isUnpacking));
    // that of an installed one is for other paths
    const withProfile = { ...userNamespaces, hasAppArmorProfile: true };
    assert.ok(!fixes({ userNamespaces: withProfile }).some(isUnpacking));
  });
});
