import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { UserError } from '../../src/sandbox/userError';
import { getOwnApptainer, ownApptainer } from '../../src/setup/ownApptainer';
import { useTemporaryFolder } from '../support/temporaryFolder';

/** The good case is what `npm test` itself does on a computer without Apptainer. */
describe('getting Apptainer without root', () => {
  const storage = useTemporaryFolder();
  let mirror: Server;
  const asked: string[] = [];

  before(async () => {
    // a mirror that somebody has taken over: what it has bears no signature of Debian
    mirror = createServer(({ url = '' }, response) => {
      asked.push(url);
      const isRelease = url.endsWith('/InRelease') || url.endsWith('/Release');
      response.writeHead(isRelease ? 200 : 404);
      response.end(isRelease ? 'Origin: Debian\nSuite: unstable\nCodename: sid\nSHA256:\n' : '');
    });
    await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
    process.env['SANDBOXED_AGENT_DEBIAN_MIRROR'] =
      `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/debian`;
  });
  after(() => {
    delete process.env['SANDBOXED_AGENT_DEBIAN_MIRROR'];
    mirror.close();
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
