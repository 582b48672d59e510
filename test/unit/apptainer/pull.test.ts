import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pullImage } from '../../../src/apptainer/pull';
import type { PullRequest } from '../../../src/apptainer/pullRequest';
import { ownerMark } from '../../../src/host/ownedFolder';
import { formatMessage } from '../../../src/sandbox/message';
import { Cancelled, UserError } from '../../../src/sandbox/userError';
import { sifHeader } from '../../support/sifHeader';
import { useTemporaryFolder, writeProgram } from '../../support/temporaryFolder';

describe('pullImage', () => {
  const folder = useTemporaryFolder();
  const target = (): string => join(folder(), 'images', 'opencode.sif');
  const temporary = (): string => join(folder(), 'tmp');

  beforeEach(() => {
    mkdirSync(temporary());
    writeFileSync(join(folder(), 'header'), sifHeader);
  });

  /** A stand-in for Apptainer that runs this script; `$2` is the file to make, `$3` the source. */
  function pull(script: string, more: Partial<PullRequest> = {}): Promise<void> {
    return pullImage({
      // without the first two of `pull --arch ARCHITECTURE FILE SOURCE`
      apptainer: writeProgram(join(folder(), 'apptainer'), `shift 2\n${script}`),
      source: 'docker://ghcr.io/a/b',
      target: target(),
      environment: { APPTAINER_TMPDIR: temporary(), HOME: '/home/x', APPTAINER_BIND: '/etc' },
      ...more,
    });
  }

  async function failsWith(code: string, pulling: Promise<void>): Promise<UserError> {
    const error = await pulling.then(
      () => assert.fail('it did not fail'),
      (reason: unknown) => reason,
    );
    assert(error instanceof UserError, String(error));
    assert.equal(error.code, code);
    return error;
  }

  function assertNothingIsLeft(): void {
    assert.deepEqual(readdirSync(temporary()), []);
    if (existsSync(join(folder(), 'images'))) {
      assert.deepEqual(
        readdirSync(join(folder(), 'images')).filter((name) => name !== 'opencode.sif'),
        [],
      );
    }
  }

  it('pulls beside the target and renames it when it is whole', async () => {
    const stages: string[] = [];
    const lines: string[] = [];
    const script = `
      echo "$@" >'${folder()}/arguments'; /usr/bin/env >'${folder()}/environment'
      echo 'INFO:    Converting OCI blobs to SIF format' >&2
      echo 'INFO:    Fetching OCI image...' >&2
      echo 'INFO:    Extracting OCI image...' >&2
      echo 'INFO:    Creating SIF file...' >&2
      mkdir "$APPTAINER_TMPDIR/build-temp"; chmod 0 "$APPTAINER_TMPDIR/build-temp"
      test -e '${target()}' && exit 9
      cat '${folder()}/header' >"$2"`;
    await pull(script, {
      onProgress: ({ text }) => stages.push(formatMessage(text)),
      onLine: (line) => lines.push(line),
    });
    const [architecture, partial = '', source] = readFileSync(join(folder(), 'arguments'), 'utf8').split(
      /\s/,
    );
    assert.deepEqual(
      [architecture, source],
      [process.arch === 'x64' ? 'amd64' : process.arch, 'docker://ghcr.io/a/b'],
    );
    assert(partial.startsWith(`${target()}.`));
    assert.match(partial, /\.[0-9a-f]{16}\.partial$/);
    const environment = readFileSync(join(folder(), 'environment'), 'utf8');
    assert.match(environment, new RegExp(`^APPTAINER_TMPDIR=${temporary()}/sandboxed-agent-pull-`, 'm'));
    assert.match(environment, /^HOME=\/home\/x$/m);
    assert.doesNotMatch(environment, /APPTAINER_BIND/);
    assert.deepEqual(stages, ['Asking the registry…', 'Downloading…', 'Unpacking…', 'Writing the image…']);
    assert.equal(lines.length, 4);
    assert.deepEqual(readFileSync(target()), sifHeader);
    assertNothingIsLeft();
  });

  it('replaces an older image, and removes what a pull left that was killed', async () => {
    mkdirSync(join(folder(), 'images'));
    writeFileSync(target(), 'old');
    const abandoned = `${target()}.0123456789abcdef.partial`;
    writeFileSync(abandoned, 'left');
    const theDayBefore = Date.now() / 1000 - 25 * 60 * 60;
    utimesSync(abandoned, theDayBefore, theDayBefore);
    await pull(`test -e "$2" && exit 9; cat '${folder()}/header' >"$2"`);
    assert.deepEqual(readFileSync(target()), sifHeader);
    assertNothingIsLeft();
  });

  it('removes at once what a window left that was killed just now', async () => {
    const [machine, boot] = (await ownerMark()).split('-');
    const mark = `${machine}-${boot}-${spawnSync('/bin/true').pid}-1`;
    mkdirSync(join(folder(), 'images'));
    writeFileSync(`${target()}.${mark}.0123456789abcdef.partial`, 'left');
    mkdirSync(join(temporary(), `sandboxed-agent-pull-${mark}-aB3dE6`, 'rootfs'), { recursive: true });
    await pull(`cat '${folder()}/header' >"$2"`);
    assertNothingIsLeft();
  });

  it('leaves a pull alone that goes on at the same time', async () => {
    const both = `
      cat '${folder()}/header' >"$2"
      echo x >>'${folder()}/started'
      until [ "$(grep -c x '${folder()}/started')" = 2 ]; do sleep 0.01; done
      test -s "$2"`;
    await Promise.all([pull(both), pull(both)]);
    assert.deepEqual(readFileSync(target()), sifHeader);
    assertNothingIsLeft();
  });

  it('leaves the older image when a pull fails', async () => {
    mkdirSync(join(folder(), 'images'));
    writeFileSync(target(), 'old');
    const script =
      'echo part >"$2"; touch "$APPTAINER_TMPDIR/x"; echo "FATAL: manifest unknown" >&2; exit 255';
    const error = await failsWith('pull.notFound', pull(script));
    assert.match(String(error.cause), /manifest unknown/);
    assert.equal(readFileSync(target(), 'utf8'), 'old');
    assertNothingIsLeft();
  });

  it('names each known failure', async () => {
    const failures = {
      'pull.unauthorized': 'reading manifest latest in ghcr.io/a/b: unauthorized',
      'pull.rateLimit': 'toomanyrequests: You have reached your pull rate limit.',
      'pull.noSpace': 'short write: write /scratch/x: no space left on device',
      'pull.unreachable': 'dial tcp 127.0.0.1:1: connect: connection refused',
    };
    for (const [code, text] of Object.entries(failures)) {
      await failsWith(code, pull(`echo 'FATAL: ${text}' >&2; exit 255`));
      assertNothingIsLeft();
    }
  });

  it('keeps nothing that is not an image', async () => {
    await failsWith('pull.notSif', pull('echo "<html>Log in" >"$2"'));
    assert.equal(existsSync(target()), false);
    assertNothingIsLeft();
  });

  it('leaves nothing when it is cancelled', async () => {
    const controller = new AbortController();
    const script = `
      trap 'exit 1' INT
      echo part >"$2"; mkdir "$APPTAINER_TMPDIR/build-temp"
      echo 'INFO:    Fetching OCI image...' >&2
      sleep 600 & wait`;
    await assert.rejects(
      pull(script, { signal: controller.signal, onProgress: () => controller.abort() }),
      Cancelled,
    );
    assert.equal(existsSync(target()), false);
    assertNothingIsLeft();
  });

  it('starts nothing for a source that is none', async () => {
    await failsWith('imageSource.invalid', pull(`touch '${folder()}/ran'`, { source: '--help' }));
    assert.equal(existsSync(join(folder(), 'ran')), false);
  });

  it('says when there is no place for the image or its parts', async () => {
    await failsWith('pull.targetNotWritable', pull('', { target: join(folder(), 'header', 'x.sif') }));
    const environment = { APPTAINER_TMPDIR: join(folder(), 'missing') };
    const error = await failsWith('pull.noTemporaryFolder', pull('', { environment }));
    assert.match(error.message, /\/missing/);
  });
});
