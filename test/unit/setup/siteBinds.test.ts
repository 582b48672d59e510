import assert from 'node:assert/strict';
import type { FoundProgram } from '../../../src/setup/facts';
import { formatMessage } from '../../../src/sandbox/message';
import { checkSetup } from '../../../src/setup/checkSetup';
import type { SetupLine } from '../../../src/setup/line';
import { goodFacts, programOf } from './someFacts';

const usual = 'bind path = /etc/localtime\nbind path = /etc/hosts\n';

function lineOf(apptainer: FoundProgram): SetupLine | undefined {
  return checkSetup({ ...goodFacts, apptainer }).find(({ id }) => id === 'siteBinds');
}

function detailOf(configuration: string): string {
  const line = lineOf(programOf('1.4.5', configuration));
  assert.equal(line?.state, 'ok');
  return formatMessage(line.detail);
}

describe('what the site binds into containers', () => {
  it('is not worth a word as long as it is what Apptainer comes with', () => {
    for (const configuration of ['', usual]) assert.match(detailOf(configuration), /but what is usual/);
  });

  it('is named, each once, and is in no sandbox', () => {
    const more = 'bind path = /cvmfs\nbind path = /scratch:/data\nbind path = /cvmfs\n';
    assert.match(detailOf(`${usual}${more}`), /binds \/cvmfs, \/scratch:\/data into.*started without/);
  });

  it('is not known where the configuration can’t be read, which another line says', () => {
    assert.equal(lineOf({ ...programOf(), configuration: undefined }), undefined);
  });
});
