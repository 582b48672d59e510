import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerMark } from '../../src/host/ownedFolder';
import { UserError } from '../../src/sandbox/userError';
import { DebianArchive } from '../../src/setup/debianArchive';
import { runToolUntil } from '../../src/setup/runTool';
import { useTemporaryFolder } from '../support/temporaryFolder';
import { useDebianMirror } from './support/debianMirror';

/** The public half of a key that was made for this test; what it signed is below. */
const key = Buffer.from(
  `mDMEXgvhARYJKwYBBAHaRw8BAQdA50quK4iG2pHWz1DyBmWgxFyTFnYK73oMhkOcUiDwJZK0FVNhbmRib3hlZCBBZ2VudCB0ZXN0
c4iQBBMWCAA4FiEEg1kV6JuG99bdr9jJR4cI15fvQp0FAl4L4QECGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQR4cI15fv
Qp2MLQEAv5kk9cw9ebCnY5NjwuBVWxQNaKjpzOObk4LwPAOH4zUBAOoWi8ajhyrxQhgRIQqG20oACAjToYDf7vP0ajbQWasC`,
  'base64',
);

/** A suite without packages, signed with that key (gpg --clearsign --digest-algo SHA512). */
const release = `-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA512

Origin: Debian
Suite: unstable
Codename: sid
Date: Thu, 02 Jan 2020 00:00:00 UTC
Architectures: amd64 arm64
Components: main
SHA256:
 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0 main/binary-amd64/Packages
 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0 main/binary-arm64/Packages
-----BEGIN PGP SIGNATURE-----

iHUEARYKAB0WIQSDWRXom4b31t2v2MlHhwjXl+9CnQUCXg0ygQAKCRBHhwjXl+9C
neQhAQCGxpps373Lhzo4tDBmAT22+y1VUj91RlUbH/WGVVGTSQEA+JRDD2VjJ0Y7
hUJevNCC+VlO4Tk8dSU3pdc68VNaSQo=
=U9AE
-----END PGP SIGNATURE-----
`;

describe('packages of Debian, got without root', () => {
  const storage = useTemporaryFolder();
  const run = runToolUntil(new AbortController().signal);
  let served = release;
  useDebianMirror((path) =>
    path.endsWith('/InRelease') ? served : path.endsWith('/Packages') ? '' : undefined,
  );
  beforeEach(() => {
    served = release;
  });

  const open = async (keys: Buffer): Promise<string> => {
    const folder = join(storage(), 'A Home, with [all]');
    const findKeyring = async (place: string): Promise<string> => {
      await writeFile(join(place, 'keys.gpg'), keys);
      return join(place, 'keys.gpg');
    };
    await DebianArchive.open({ suite: 'unstable', folder, run, findKeyring });
    return folder;
  };

  it('are believed when one of the keys signed them, whatever the folder is called', async () => {
    const folder = await open(key);
    assert.ok(readdirSync(join(folder, 'lists')).some((name) => name.endsWith('_InRelease')));
    const ours = `sandboxed-agent-keys-${await ownerMark()}`;
    assert.ok(!readdirSync('/tmp').some((name) => name.startsWith(ours)));
  });

  it('are not believed when a letter is another one, or when the keys are others', async () => {
    const isUnsigned = (error: unknown): boolean =>
      error instanceof UserError &&
      /apt-get[^]*(not signed|GPG error|signature|NO_PUBKEY|BADSIG)/i.test(error.message);
    served = release.replace('Codename: sid', 'Codename: sad');
    await assert.rejects(open(key), isUnsigned);
    served = release;
    await assert.rejects(open(Buffer.alloc(0)), isUnsigned);
  });
});
