import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { registryDigest, sourceDigest } from '../../../src/apptainer/sourceDigest';
import { parseVersion } from '../../../src/apptainer/version';
import { UserError } from '../../../src/sandbox/userError';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('which image a tag is now', () => {
  const folder = useTemporaryFolder();

  const questionTo = (apptainer: string, text: string) => ({
    apptainer,
    version: parseVersion(`apptainer version ${text}`) ?? assert.fail(),
    source: 'docker://127.0.0.1:9/opencode:1',
    environment: { HOME: folder() },
  });

  /** A program that does this instead of asking. */
  function program(script: string): string {
    const apptainer = join(folder(), 'apptainer');
    writeFileSync(apptainer, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    return apptainer;
  }

  it('is not asked of an Apptainer that can’t tell: it would pull the image', async () => {
    const mark = join(folder(), 'ran');
    const apptainer = program(`: > '${mark}'`);
    for (const text of ['1.2.0', '1.3.6-1.el9']) {
      const question = questionTo(apptainer, text);
      await assert.rejects(registryDigest(question), { code: 'update.apptainerTooOld' });
      assert.equal(await sourceDigest({ ...question, image: join(folder(), 'image.sif') }), undefined);
    }
    assert.equal(existsSync(mark), false);
    await assert.rejects(registryDigest(questionTo(apptainer, '1.4.0')), { code: 'update.silent' });
    assert.equal(existsSync(mark), true);
  });

  for (const [what, script, inLog] of [
    ['can’t be started', undefined, /could not be started.*ENOENT/s],
    ['takes too long', 'exec sleep 60', /took too long and was ended/],
    ['ends without a word', 'exit 3', /ended with exit code 3/],
    ['says why', "echo 'FATAL:   no such luck' >&2; exit 255", /FATAL: {3}no such luck.*exit code 255/s],
    ['ends well and tells nothing', 'exit 0', /no answer/],
  ] as const) {
    it(`is a question of which the log says that Apptainer ${what}`, async () => {
      const apptainer = script === undefined ? join(folder(), 'missing') : program(script);
      const question = { ...questionTo(apptainer, '1.4.0'), timeoutMilliseconds: 500 };
      const error: unknown = await registryDigest(question).catch((reason: unknown) => reason);
      assert.ok(error instanceof UserError);
      assert.equal(error.code, 'update.silent');
      assert.match(inspect(error.cause), inLog);
      const lines: string[] = [];
      const onLine = (line: string): void => void lines.push(line);
      const image = join(folder(), 'image.sif');
      assert.equal(await sourceDigest({ ...question, image, onLine }), undefined);
      assert.equal(lines.length, 1);
    });
  }
});
