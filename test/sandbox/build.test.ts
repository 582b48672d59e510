import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBare } from '../../src/apptainer/bareRun';
import { buildImage, type BuildRequest } from '../../src/apptainer/build';
import {
  addOpencodeDefinition,
  completeDefinition,
  missingToolsCommand,
} from '../../src/apptainer/definitions';
import { readDefinition, refuseDefinition } from '../../src/apptainer/definitionFile';
import { smokeTest } from '../../src/apptainer/smokeTest';
import { formatMessage } from '../../src/sandbox/message';
import { Cancelled, UserError } from '../../src/sandbox/userError';
import { apptainer, shellImage } from '../support/environment';
import { projectFile } from '../support/projectFile';
import { TestFolders } from './support/sandboxUnderTest';

/** Programs that a base would have, each of which makes programs instead of fetching them. */
const makeProgram = (name: string, says: string): string =>
  `printf '#!/bin/sh\\necho ${says}\\n' >/usr/bin/${name}; chmod 755 /usr/bin/${name}`;
const tools = ['git', 'bash', 'python3', 'rg', 'less', 'ps'];
const installer = [
  '#!/bin/sh',
  ...tools.map(
    (name) =>
      `test -x /usr/bin/${name} && [ ! -L /usr/bin/${name} ] || { rm -f /usr/bin/${name}; ${makeProgram(name, '1.0')}; }`,
  ),
].join('\n');

describe('building an image', () => {
  let folders: TestFolders;
  let base: string;
  const environment = (): BuildRequest['environment'] => ({
    HOME: folders.root,
    APPTAINER_TMPDIR: join(folders.root, 'tmp'),
  });

  before(async () => {
    folders = new TestFolders();
    for (const name of ['images', 'tmp']) mkdirSync(join(folders.root, name));
    base = join(folders.root, 'base.sif');
    // the tiny image, with a package manager and npm of our own
    await build({
      target: base,
      definition: `Bootstrap: localimage
From: ${shellImage()}

%post
    cat >/usr/bin/apk <<'END'
${installer}
END
    cat >/usr/bin/npm <<'END'
#!/bin/sh
${makeProgram('opencode', '1.18.33')}
# the real one wants to write there, too
sed -i '2i mkdir -p "$HOME/.local" || exit 1' /usr/bin/opencode
END
    cp /usr/bin/apk /usr/bin/apt-get
    chmod 755 /usr/bin/apk /usr/bin/npm /usr/bin/apt-get
    rm -f /usr/bin/git /usr/bin/bash /usr/bin/python3
`,
    });
  });
  after(() => folders.remove());

  async function build(changes: Pick<BuildRequest, 'definition'> & Partial<BuildRequest>): Promise<string[]> {
    const said: string[] = [];
    await buildImage({
      apptainer: apptainer(),
      target: join(folders.root, 'images', 'x.sif'),
      environment: environment(),
      ptyModules: [projectFile('node_modules/node-pty')],
      onProgress: ({ text }) => said.push(formatMessage(text)),
      ...changes,
    });
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
    return said;
  }

  const target = (): string => join(folders.root, 'images', 'x.sif');
  const missingIn = async (image: string): Promise<string> => {
    const command = missingToolsCommand;
    const run = {
      apptainer: apptainer(),
      image,
      command,
      environment: environment(),
      timeoutMilliseconds: 60_000,
    };
    return (await runBare(run)).stdout;
  };

  it('completes an image that is thin', async () => {
    assert.match(await missingIn(base), /^git\nbash\npython3\nrg\n/);
    const said = await build({ definition: completeDefinition(base) });
    assert.equal(await missingIn(target()), '');
    assert.match(said.join('\n'), /Unpacking…[^]*Installing \(%post\)…[^]*Writing the image/);
  });

  it('adds opencode to an image', async () => {
    await build({ definition: addOpencodeDefinition(base) });
    const request = { apptainer: apptainer(), image: target(), environment: environment() };
    assert.deepEqual(await smokeTest(request), { kind: 'works', opencodeVersion: '1.18.33' });
  });

  it('builds the definition for an agent on another base', async () => {
    const definition = readFileSync(projectFile('media/definitions/agent.def'), 'utf8');
    await build({ definition, values: { BOOTSTRAP: 'localimage', BASE: base } });
    const request = { apptainer: apptainer(), image: target(), environment: environment() };
    assert.equal((await smokeTest(request)).kind, 'works');
  });

  it('would run sections of a definition on this computer, which are refused before', async () => {
    const secret = join(folders.root, 'secret');
    writeFileSync(secret, 'of the host');
    const seen = (): string[] => readdirSync(folders.root).filter((name) => name.startsWith('seen-'));
    const copy = (name: string): string => `cp ${secret} ${join(folders.root, name)}`;
    const head = `Bootstrap: localimage\nFrom: ${base}\n`;
    const definition = [
      ...[head, '%arguments', '    A=%setup', '%pre', `    ${copy('seen-pre')}`],
      ...['%help', '{{ A }}', `    ${copy('seen-setup')}`],
    ].join('\n');
    await build({ definition });
    assert.deepEqual(seen(), ['seen-pre', 'seen-setup']);
    assert.equal(refuseDefinition(readDefinition(definition), '/x.def')?.code, 'build.hostSection');
    const hidden = definition.replace('%pre', '%labels');
    assert.equal(refuseDefinition(readDefinition(hidden), '/x.def')?.code, 'build.hiddenSections');
  });

  it('says that a command of %post has failed, keeps its words for the log, and leaves the image that was there', async () => {
    writeFileSync(target(), 'the old one');
    const lines: string[] = [];
    const definition = `Bootstrap: localimage\nFrom: ${base}\n\n%post\n    echo the last words >&2\n    exit 7\n    echo never\n`;
    await assert.rejects(build({ definition, onLine: (line) => lines.push(line) }), (error: unknown) => {
      assert(error instanceof UserError, String(error));
      assert.equal(error.code, 'build.post');
      assert.doesNotMatch(error.message, /last words/);
      return true;
    });
    assert.match(lines.slice(-6).join('\n'), /the last words/);
    assert.doesNotMatch(lines.join('\n'), /never/);
    assert.equal(readFileSync(target(), 'utf8'), 'the old one');
    assert.deepEqual(readdirSync(join(folders.root, 'images')), ['x.sif']);
  });

  it('leaves nothing when it is cancelled in %post', async () => {
    const cancel = new AbortController();
    const definition = `Bootstrap: localimage\nFrom: ${base}\n\n%post\n    echo begun\n    sleep 600\n`;
    const building = build({
      definition,
      signal: cancel.signal,
      onLine(line) {
        if (line === 'begun') cancel.abort();
      },
    });
    await assert.rejects(building, Cancelled);
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
    assert.deepEqual(readdirSync(join(folders.root, 'images')), ['x.sif']);
  });
});
