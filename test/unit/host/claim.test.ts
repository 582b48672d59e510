import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClaim } from '../../../src/host/claim';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('withClaim', () => {
  const root = useTemporaryFolder();
  const patience = { milliseconds: 200, tooLate: () => new Error('too late') };
  const path = (): string => join(root(), 'claim');

  it('holds others up, and lets them when the work is done', async () => {
    await withClaim(path(), patience, async () => {
      await assert.rejects(
        withClaim(path(), patience, () => Promise.resolve()),
        /too late/,
      );
    });
    assert.equal(await withClaim(path(), patience, () => Promise.resolve('done')), 'done');
    assert.equal(existsSync(path()), false);
  });

  it('leaves a claim that somebody has taken over meanwhile', async () => {
    const other = JSON.stringify({ pid: 1, startTime: '7', bootId: 'another computer' });
    await withClaim(path(), patience, () => {
      writeFileSync(path(), other);
      return Promise.resolve();
    });
    assert.equal(readFileSync(path(), 'utf8'), other);
  });
});
