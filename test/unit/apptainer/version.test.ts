import assert from 'node:assert/strict';
import { compareVersions, oldestVersion, parseVersion } from '../../../src/apptainer/version';

describe('parseVersion', () => {
  it('reads what the programs print', () => {
    const outputs: Record<string, readonly [string, number, number, number, string]> = {
      'apptainer version 1.4.5\n': ['apptainer', 1, 4, 5, '1.4.5'],
      'apptainer version 1.4.5-1.el9\n': ['apptainer', 1, 4, 5, '1.4.5-1.el9'],
      'apptainer version 1.5.0-rc.1+12-gabc': ['apptainer', 1, 5, 0, '1.5.0-rc.1+12-gabc'],
      'apptainer version v1.10': ['apptainer', 1, 10, 0, '1.10'],
      'WARNING: something\napptainer version 1.3.0\n': ['apptainer', 1, 3, 0, '1.3.0'],
      'singularity-ce version 4.1': ['singularity-ce', 4, 1, 0, '4.1'],
      'singularity version 3.8.7-1.el7': ['singularity', 3, 8, 7, '3.8.7-1.el7'],
    };
    for (const [output, [program, major, minor, patch, text]] of Object.entries(outputs)) {
      assert.deepEqual(parseVersion(output), { program, major, minor, patch, text }, output);
    }
  });

  it('does not read anything else', () => {
    const outputs = [
      '',
      '1.4.5',
      'docker version 1.4.5',
      'apptainer version x',
      'apptainer version 1.4.5 and more',
    ];
    for (const output of [...outputs, `${'x'.repeat(10_000)}\napptainer version 1.4.5`]) {
      assert.equal(parseVersion(output), undefined, output);
    }
  });
});

describe('compareVersions', () => {
  it('compares numbers, not texts', () => {
    const version = (major: number, minor: number, patch: number) => ({ major, minor, patch });
    assert(compareVersions(version(1, 10, 0), version(1, 9, 9)) > 0);
    assert(compareVersions(version(1, 1, 9), oldestVersion) < 0);
    assert.equal(compareVersions(version(1, 2, 0), oldestVersion), 0);
    assert(compareVersions(version(2, 0, 0), oldestVersion) > 0);
    assert(compareVersions(version(1, 2, 1), oldestVersion) > 0);
  });
});
