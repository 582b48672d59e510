import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  addOpencodeDefinition,
  completeDefinition,
  testedOpencodeVersion,
} from '../../../src/apptainer/definitions';
import { explainBuildFailure } from '../../../src/apptainer/buildErrors';
import { isOnThisComputer, pinnedDigest } from '../../../src/apptainer/pullNetwork';
import { registryOf } from '../../../src/apptainer/registryLogin';
import { UserError } from '../../../src/sandbox/userError';
import { projectFile } from '../../support/projectFile';

describe('definitions of images', () => {
  it('begin with the image that they are built upon', () => {
    for (const make of [completeDefinition, addOpencodeDefinition]) {
      assert.match(
        make('/data/my images/a.sif'),
        /^Bootstrap: localimage\nFrom: \/data\/my images\/a\.sif\n\n%/,
      );
    }
  });

  it('take no path that would say something else in them', () => {
    for (const path of ['/a\n%post\n    evil', '/a\r', '/a{{ X }}', '/a #b', '/a ', '\t/a']) {
      assert.throws(
        () => completeDefinition(path),
        (error) => error instanceof UserError && error.code === 'build.path',
        JSON.stringify(path),
      );
    }
  });

  it('that come with the extension pin the opencode that it is tested with', () => {
    for (const name of ['agent', 'scientific']) {
      const definition = readFileSync(projectFile(`media/definitions/${name}.def`), 'utf8');
      assert.ok(definition.includes(`OPENCODE_VERSION=${testedOpencodeVersion}\n`), name);
    }
  });

  it('that come with the extension pin what they install for Python', () => {
    const definition = readFileSync(projectFile('media/definitions/scientific.def'), 'utf8');
    const [, packages = ''] = /PYTHON_INDEX }}" \\\n([^]*?)\n\n/.exec(definition) ?? [];
    const names = packages.split(/[\s\\]+/).filter((name) => name !== '');
    assert.equal(names.length, 11);
    assert.deepEqual(
      names.filter((name) => !/^[a-z-]+==\d+(\.\d+)+$/.test(name)),
      [],
    );
  });

  it('that come with the extension fail with the first command of %test that fails', () => {
    for (const name of ['agent', 'scientific']) {
      const definition = readFileSync(projectFile(`media/definitions/${name}.def`), 'utf8');
      assert.match(definition, /^%test\n {4}set -e\n/m, name);
    }
  });
});

describe('explainBuildFailure', () => {
  for (const [code, output] of [
    [
      'build.post',
      'FATAL:   While performing build: while running engine: while running %post section: exit status 1',
    ],
    [
      'build.oneUser',
      'E: setgroups 65534 failed - setgroups (1: Operation not permitted)\nFATAL:   While performing build: while running engine: while running %post section: exit status 100',
    ],
    ['build.noIdentities', 'FATAL:   newuidmap was not found in PATH (/usr/bin), required with fakeroot'],
    ['pull.noSpace', 'FATAL: write /tmp/x: no space left on device'],
    ['build.failed', 'FATAL: manifest unknown'],
  ] as const) {
    it(`knows ${code}`, () => {
      const error = explainBuildFailure(output, new Error(output));
      assert.equal(error.code, code);
      assert.doesNotMatch(error.message, /exit status|manifest/);
    });
  }
});

describe('where an image comes from', () => {
  it('is this computer, or another one', () => {
    for (const host of ['127.0.0.1:5000', '127.1.2.3', 'localhost:1', '[::1]:5000']) {
      assert.equal(isOnThisComputer(`docker://${host}/a:1`), true, host);
    }
    for (const host of ['127.0.0.1.example.org', 'localhost.example.org', 'ghcr.io', '1270.0.0.1', 'a']) {
      assert.equal(isOnThisComputer(`docker://${host}/a:1`), false, host);
    }
  });

  it('can be pinned', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    assert.equal(pinnedDigest(`docker://ghcr.io/a/b@${digest}`), digest);
    assert.equal(pinnedDigest('docker://ghcr.io/a/b@sha256:0'), undefined);
    assert.equal(pinnedDigest('docker://ghcr.io/a/b:latest'), undefined);
  });

  it('has a registry to log in to, or none', () => {
    assert.equal(registryOf('docker://ghcr.io/a/b'), 'ghcr.io');
    assert.equal(registryOf('oras://localhost:5000/a'), 'localhost:5000');
    for (const source of ['docker://library/alpine', 'library://a/b/c', 'https://example.org/x.sif']) {
      assert.equal(registryOf(source), undefined, source);
    }
  });
});
