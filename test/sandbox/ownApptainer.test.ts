import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../src/sandbox/userError';
import { getOwnApptainer, ownApptainer } from '../../src/setup/ownApptainer';
import { useTemporaryFolder } from '../support/temporaryFolder';
import { useDebianMirror } from './support/debianMirror';

/** The good case is what `npm test` itself does on a computer without Apptainer. */
describe('getting Apptainer without root', () => {
  const storage = useTemporaryFolder();
  const asked: string[] = [];

  // a mirror that somebody has taken over: what it has bears no signature of Debian
  useDebianMirror((path) => {
    asked.push(path);
    const isRelease = path.endsWith('/InRelease') || path.endsWith('/Release');
    return isRelease ? 'Origin: Debian\nSuite: unstable\nCodename: sid\nSHA256:\n' : undefined;
  });

  it('takes nothing that Debian has not signed, and leaves nothing', async () => {
    await assert.rejects(getOwnApptainer(storage(), new AbortController().signal), (error: unknown) => {
      assert.ok(error instanceof UserError);
      assert.match(
        error.message,
        /apt-get[^]*(not signed|GPG error|signature|NO_PUBKEY|split the InRelease)/i,
      );
      return true;
    });
    assert.ok(asked.some((url) => url.includes('/dists/unstable/')));
    assert.equal(existsSync(ownApptainer(storage())), false);
    assert.deepEqual(readdirSync(join(storage(), 'apptainer')), []);
  });
});
