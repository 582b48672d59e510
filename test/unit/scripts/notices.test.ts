import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFile } from '../../support/projectFile';
import { useTemporaryFolder } from '../../support/temporaryFolder';

interface Notices {
  thirdPartyNotices(metafiles: readonly object[], repository: string): string;
}

describe('the notices of third parties', () => {
  const root = useTemporaryFolder();
  let notices: Notices;

  before(async () => {
    notices = (await import(projectFile('scripts/build/notices.mjs'))) as Notices;
  });

  function put(name: string, files: Readonly<Record<string, string>>): void {
    mkdirSync(join(root(), 'node_modules', name), { recursive: true });
    const manifest = JSON.stringify({ name, version: '1.2.3', license: 'MIT' });
    for (const [file, text] of Object.entries({ ...files, 'package.json': manifest })) {
      writeFileSync(join(root(), 'node_modules', name, file), text);
    }
  }

  function noticesOf(inputs: Readonly<Record<string, number>>): string {
    const parts = Object.entries(inputs).map(([path, bytesInOutput]) => [path, { bytesInOutput }] as const);
    return notices.thirdPartyNotices(
      [{ outputs: { 'dist/x.js': { inputs: Object.fromEntries(parts) } } }],
      root(),
    );
  }

  it('hold the licence of every package that is in a bundle, once', () => {
    put('@scope/one', { 'LICENSE.md': 'Copyright one' });
    put('two', { LICENSE: 'Copyright two' });
    put('unused', { LICENSE: 'Copyright unused' });
    const text = noticesOf({
      'src/main.ts': 5,
      'node_modules/@scope/one/lib/a.js': 5,
      'node_modules/@scope/one/lib/b.js': 5,
      'node_modules/two/index.js': 5,
      'node_modules/unused/index.js': 0,
    });
    assert.equal(text.match(/Copyright one/g)?.length, 1);
    assert.match(text, /^two 1\.2\.3 \(MIT\)$/m);
    assert.match(text, /Copyright two/);
    assert.doesNotMatch(text, /unused|main/);
  });

  it('refuse a package without a licence', () => {
    put('three', {});
    assert.throws(() => noticesOf({ 'node_modules/three/index.js': 5 }), /three has no licence file/);
  });
});
