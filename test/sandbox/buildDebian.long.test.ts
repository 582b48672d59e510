import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBare } from '../../src/apptainer/bareRun';
import { buildImage } from '../../src/apptainer/build';
import {
  addOpencodeDefinition,
  missingToolsCommand,
  testedOpencodeVersion,
} from '../../src/apptainer/definitions';
import { pullImage } from '../../src/apptainer/pull';
import { smokeTest } from '../../src/apptainer/smokeTest';
import { fileProgram } from '../../src/sandbox/fileProgram';
import { runProcess } from '../../src/host/runProcess';
import { type Content, ContentServer } from '../support/contentServer';
import { debianMirrorContent } from '../support/debianBase';
import { packOpencode, pushDebian } from '../support/debianRegistry';
import { apptainer, image } from '../support/environment';
import { ImageRegistry } from '../support/imageRegistry';
import { projectFile } from '../support/projectFile';
import { type Wheel, wheelName, wheelOf } from '../support/wheel';
import type { BuildStep } from './support/buildMain';
import { ChangedHost } from './support/changedHost';
import { endOf, identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

const scientific = readFileSync(projectFile('media/definitions/scientific.def'), 'utf8');
/** Of Scikit-HEP Debian has next to nothing, so all of these are stand-ins that only say who they are. */
const wheels = [...scientific.matchAll(/([a-z-]+)==([\d.]+)/g)].map(([, name = '', version = '']): Wheel => {
  return { name, version, module: name.replaceAll('-', '_'), source: `name = '${name}'\n` };
});

describe('building with packages of Debian, upon an image from a registry', () => {
  let folders: TestFolders;
  let registry: ImageRegistry;
  let servers: ContentServer[];
  let npm: string;
  const asked: string[] = [];

  before(async function () {
    this.timeout(600_000);
    assert.notEqual(process.getuid?.(), 0);
    folders = new TestFolders();
    for (const name of ['images', 'tmp', 'debian']) mkdirSync(join(folders.root, name));
    servers = [];
    npm = await serve(npmContent());
    const sources = { mirror: await serve(debianMirrorContent()), npm };
    registry = await ImageRegistry.start(join(folders.root, 'registry'));
    await pushDebian(join(folders.root, 'debian'), `http://${registry.host}`, sources);
  });
  after(async () => {
    servers.forEach((server) => server.stop());
    await registry.stop();
    folders.remove();
  });

  async function serve(content: Content): Promise<string> {
    const server = await ContentServer.start((path, address) => {
      asked.push(path);
      return content(path, address);
    });
    servers.push(server);
    return server.address;
  }

  const target = (): string => join(folders.root, 'images/x.sif');
  const environment = (): Record<string, string> => ({
    HOME: folders.root,
    APPTAINER_TMPDIR: join(folders.root, 'tmp'),
    APPTAINER_CACHEDIR: join(folders.root, 'cache'),
  });

  async function build(definition: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
    const lines: string[] = [];
    await buildImage({
      ...{ apptainer: apptainer(), target: target(), environment: environment(), definition, values },
      ptyModules: [projectFile('node_modules/node-pty')],
      onLine: (line) => lines.push(line),
    }).catch((error: unknown) => {
      throw new Error(lines.slice(-30).join('\n'), { cause: error });
    });
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
    assert.deepEqual(readdirSync(join(folders.root, 'images')), ['x.sif']);
    return lines.join('\n');
  }

  async function inside(...command: string[]): Promise<string> {
    const limits = { environment: environment(), timeoutMilliseconds: 60_000 };
    const { exitCode, stdout, stderr } = await runBare({
      ...{ apptainer: apptainer(), image: target(), command },
      ...limits,
    });
    assert.equal(exitCode, 0, stderr);
    return stdout.trim();
  }

  it('installs a package that it gets from the mirror', async function () {
    this.timeout(300_000);
    await build(`Bootstrap: docker
From: ${registry.host}/debian:trixie

%post
    apt-get update
    apt-get install -y --no-install-recommends less

%test
    less --version
`);
    assert.equal(
      await inside('dpkg-query', '--show', '--showformat=\${Status}', 'less'),
      'install ok installed',
    );
    assert.match(await inside('less', '--version'), /^less \d/);
    assert.ok(asked.some((path) => path.startsWith('/pool/')));
  });

  it('adds opencode and its tools to an image that was pulled, also where there is no fakeroot', async function () {
    this.timeout(600_000);
    const pulled = join(folders.root, 'pulled.sif');
    const source = `docker://${registry.host}/node:20`;
    await pullImage({ apptainer: apptainer(), source, target: pulled, environment: environment() });
    const host = await ChangedHost.prepare('mount --bind /dev/null /usr/bin/fakeroot', folders.root);
    try {
      const update = `Bootstrap: localimage\nFrom: ${pulled}\n\n%post\n    apt-get update\n`;
      const refused = await buildOn(host, update);
      assert.equal(refused.code, 'build.oneUser', refused.cause);
      const step = await buildOn(host, addOpencodeDefinition(pulled));
      assert.deepEqual(step, { isOver: true });
    } finally {
      host.end();
    }
    await worksAsAgent();
  });

  async function buildOn(host: ChangedHost, definition: string): Promise<BuildStep> {
    const request = { apptainer: apptainer(), target: target(), environment: environment(), definition };
    const { stdout, stderr } = await runProcess({
      file: host.nodePath,
      args: [join(__dirname, 'support/buildMain.js'), JSON.stringify(request)],
      ...{ env: {}, cwd: '/', timeoutMilliseconds: 500_000, maximumOutputBytes: 1_000_000 },
    });
    assert.notEqual(stdout, '', stderr);
    assert.deepEqual(readdirSync(join(folders.root, 'tmp')), []);
    return JSON.parse(stdout) as BuildStep;
  }

  it('makes the image for analyses, whose python runs a file', async function () {
    this.timeout(600_000);
    const log = await build(scientific, {
      BASE: `${registry.host}/node:20`,
      NPM_REGISTRY: npm,
      PYTHON_INDEX: `${await serve(pythonContent())}/simple`,
    });
    const [, tested = ''] = log.split('Running testscript');
    assert.match(tested, /^1\.18\.33$/m, tested);
    await worksAsAgent();
    const labels = await inside('cat', '/.singularity.d/labels.json');
    assert.equal((JSON.parse(labels) as Record<string, string>)['opencode.version'], testedOpencodeVersion);
    await runsFile();
  });

  async function worksAsAgent(): Promise<void> {
    const request = { apptainer: apptainer(), image: target(), environment: environment() };
    assert.deepEqual(await smokeTest(request), { kind: 'works', opencodeVersion: testedOpencodeVersion });
    assert.equal(await inside(...missingToolsCommand), '');
  }

  /** As Run Active File does. */
  async function runsFile(): Promise<void> {
    const path = join(folders.workspace, 'analysis.py');
    const script = [
      'import sys, boost_histogram, uproot',
      "open('made.txt', 'w').write(f'{sys.prefix} {uproot.name} {boost_histogram.name}')",
    ].join('\n');
    writeFileSync(path, script);
    const { connection } = await startSandbox(
      specify(folders, {
        ...{ kind: 'run', image: identified(target()), home: { kind: 'memory' } },
        program: fileProgram(path, script),
      }),
    );
    assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 0 });
    const made = readFileSync(join(folders.workspace, 'made.txt'), 'utf8');
    assert.equal(made, '/opt/python uproot boost-histogram');
  }

  /** A registry of npm that has opencode alone: the program of the image for tests. */
  function npmContent(): Content {
    const name = 'opencode-ai';
    const version = testedOpencodeVersion;
    const archive = packOpencode(join(folders.root, 'npm'), image(), name, version);
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    return (path, address) => {
      if (path === '/opencode.tgz') return archive;
      if (path !== `/${name}`) return undefined;
      const tarball = `${address}/opencode.tgz`;
      const versions = {
        [version]: { name, version, bin: { opencode: 'opencode' }, dist: { tarball, integrity } },
      };
      return JSON.stringify({ name, 'dist-tags': { latest: version }, versions });
    };
  }

  /** An index of packages for Python (Python Packaging User Guide, "Simple repository API"). */
  function pythonContent(): Content {
    const files = new Map(wheels.map((wheel) => [`/files/${wheelName(wheel)}`, wheelOf(wheel)]));
    return (path) => {
      const wheel = wheels.find(({ name }) => path === `/simple/${name}/`);
      if (wheel === undefined) return files.get(path);
      return `<!DOCTYPE html><a href="/files/${wheelName(wheel)}">${wheelName(wheel)}</a>`;
    };
  }
});
