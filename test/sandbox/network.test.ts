import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkEntry } from '../../src/gateway/gateway';
import type { SandboxConnection } from '../../src/launch/connection';
import { readRunRecords } from '../../src/host/runRecords';
import { readIndexEntries } from '../../src/host/sandboxIndex';
import { connectSandbox } from '../../src/launch/connect';
import { image } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { World } from '../support/world';
import { identified, specify, superviseInWorld, TestFolders } from './support/sandboxUnderTest';

/** Public addresses, so that the rules on addresses let them through; nothing is ever sent there. */
const allowed = { host: 'data.example.org', address: '93.184.215.14' };
const denied = { host: 'evil.example.org', address: '93.184.215.15' };

describe('a restricted network', () => {
  let folders: TestFolders;
  let world: World;
  let connection: SandboxConnection;
  let screen: ScreenReader;
  let scripts = 0;

  before(async () => {
    folders = new TestFolders();
    world = new World(join(folders.root, 'world'));
    for (const { host, address } of [allowed, denied]) {
      await world.site(host, address, (request, response) => {
        // git's dumb protocol: a repository with one branch
        const isReferences = request.url?.startsWith('/repository.git/info/refs') === true;
        response.setHeader('content-type', 'text/plain');
        response.end(isReferences ? `${'a'.repeat(40)}\trefs/heads/main\n` : `here is ${host}`);
      });
    }
    // the agent's programs know the world's authority; how is theirs
    writeFileSync(join(folders.workspace, 'authority.pem'), readFileSync(world.authority));
    const authority = join(folders.workspace, 'authority.pem');
    connection = await superviseInWorld(
      specify(folders, {
        image: identified(image()),
        network: 'restricted',
        access: { allowedHosts: [allowed.host], models: [] },
        recordDirectory: folders.index,
        insideEnvironment: {
          CURL_CA_BUNDLE: authority,
          GIT_SSL_CAINFO: authority,
          SSL_CERT_FILE: authority,
          NODE_EXTRA_CA_CERTS: authority,
        },
      }),
      world.effects,
    );
    screen = await ScreenReader.attach(connection);
    await screen.shows(/Apptainer>/);
  });
  after(async () => {
    await connection.stop();
    await world.close();
    folders.remove();
  });
  beforeEach(() => {
    world.queries.length = 0;
    world.connections.length = 0;
    world.requests.length = 0;
  });

  /** Runs a shell script inside and returns what it prints. */
  async function run(script: string): Promise<string> {
    scripts += 1;
    const path = join(folders.workspace, `script-${scripts}`);
    writeFileSync(path, script);
    screen.type(`sh ${path} >${path}.partial 2>&1; mv ${path}.partial ${path}.output\r`);
    await waitUntil(
      'the script ends',
      () => existsSync(`${path}.output`),
      60_000,
      () => screen.text(),
    );
    return readFileSync(`${path}.output`, 'utf8');
  }

  const programs: [name: string, fetch: (url: string) => string][] = [
    ['curl', (url) => `curl -sS --max-time 20 ${url}`],
    [
      'Python',
      (url) =>
        `python3 -c 'import urllib.request as u; print(u.urlopen("${url}", timeout=20).read().decode())'`,
    ],
    [
      'Bun',
      (url) =>
        `cd / && BUN_BE_BUN=1 opencode -e 'fetch("${url}").then(async r => console.log(r.status, await r.text())).catch(e => console.log(String(e)))'`,
    ],
  ];
  for (const [name, fetch] of programs) {
    for (const scheme of ['https', 'http']) {
      it(`lets ${name} reach an allowed host by ${scheme}`, async () => {
        const output = await run(fetch(`${scheme}://${allowed.host}/`));
        assert.match(output, /here is data\.example\.org/);
        assert.deepEqual(world.connections, [`${allowed.address}:${scheme === 'https' ? 443 : 80}`]);
      });

      it(`keeps ${name} from another host by ${scheme}: nobody is asked for its name, nobody sees a connection`, async () => {
        const output = await run(fetch(`${scheme}://${denied.host}/`));
        assert.match(output, /403|allow/i);
        assert.doesNotMatch(output, /here is/);
        assert.deepEqual(world.queries, []);
        assert.deepEqual(world.connections, []);
      });
    }
  }

  it('lets git talk to an allowed host, and to no other', async () => {
    assert.match(await run(`git ls-remote https://${allowed.host}/repository.git`), /refs\/heads\/main/);
    world.queries.length = 0;
    assert.match(await run(`git ls-remote https://${denied.host}/repository.git`), /403/);
    assert.deepEqual(world.queries, []);
  });

  it('has no way out but the gateway', async () => {
    const output = await run(`
      for address in ${allowed.address} 127.0.0.2 169.254.169.254 10.0.0.1; do
        python3 -c "import socket; socket.create_connection(('$address', 443), 5)" 2>&1 | tail -n 1
      done
      python3 -c "import socket; socket.getaddrinfo('${allowed.host}', 443)" 2>&1 | tail -n 1
      curl -sS --noproxy '*' --max-time 5 https://${allowed.host}/ 2>&1`);
    assert.equal(output.match(/is unreachable|Connection refused/g)?.length, 4, output);
    assert.match(output, /gaierror/);
    assert.match(output, /Could not resolve host/);
    assert.deepEqual(world.connections, []);
  });

  it('says what happened in the log: allowed, denied, bytes, and nothing twice', async () => {
    const heard: NetworkEntry[] = [];
    const leave = connection.onNetwork((entry) => heard.push(entry));
    await run(`curl -sS https://${allowed.host}/; curl -sS https://${denied.host}/`);
    const entries = await waitUntil('both are in the log', async () => {
      const ids = new Set(heard.map(({ id }) => id));
      const log = (await connection.networkLog()).filter(({ id }) => ids.has(id));
      const isOver = log.every(({ durationMilliseconds }) => durationMilliseconds !== undefined);
      return isOver && log.length === 2 && log;
    });
    const told = entries.map(({ host, port, kind, verdict, reason }) => ({
      host,
      port,
      kind,
      verdict,
      reason,
    }));
    assert.deepEqual(told, [
      { host: allowed.host, port: 443, kind: 'tunnel', verdict: 'allowed', reason: undefined },
      { host: denied.host, port: 443, kind: 'tunnel', verdict: 'denied', reason: 'notAllowed' },
    ]);
    assert.ok((entries[0]?.bytesReceived ?? 0) > 100, 'a certificate and an answer came');
    await waitUntil('the connection tells it, too', () =>
      heard.some(({ id, verdict }) => id === entries[1]?.id && verdict === 'denied'),
    );
    leave();
  });

  it('lets through at once what is allowed while it runs, and no more once it is not', async () => {
    const fetch = `curl -sS --max-time 20 https://${denied.host}/`;
    const reached = (): string[] => connection.status.reach?.hosts.map(({ entry }) => entry) ?? [];
    await connection.setAllowedHosts([allowed.host, denied.host]);
    assert.match(await run(fetch), /here is evil/);
    assert.deepEqual(reached(), [allowed.host, denied.host]);
    await connection.setAllowedHosts([allowed.host]);
    assert.match(await run(fetch), /403/);
    await waitUntil('the status says so', () => reached().length === 1);
  });

  it('is told from the kernel’s facts', () => {
    const { verdict } = connection.status;
    assert.equal(verdict?.state, 'isolated');
    assert.equal(verdict.network, 'restricted');
    assert.equal(connection.summary.network, 'restricted');
  });

  it('tells the next window what was denied while none was attached, once', async () => {
    const go = join(folders.workspace, 'go');
    const done = join(folders.workspace, 'done');
    const lonely = 'lonely.example.org';
    screen.type(`while ! test -e ${go}; do sleep 0.1; done; curl -s https://${lonely}/; echo >${done}\r`);
    // when this is answered, what was typed has arrived
    await connection.networkLog();
    connection.dispose();
    writeFileSync(go, '');
    await waitUntil('it was tried', () => existsSync(done));
    const [entry] = await readIndexEntries(folders.index);
    // one that only looks takes nothing away
    const observer = await connectSandbox(entry?.socket ?? '', { observes: true });
    await waitUntil('the supervisor knows it', async () =>
      (await observer.networkLog()).some(({ host }) => host === lonely),
    );
    observer.dispose();
    const heard = async (): Promise<{ hosts: string[]; next: SandboxConnection }> => {
      const next = await connectSandbox(entry?.socket ?? '');
      const hosts: string[] = [];
      next.onNetwork(({ host }) => hosts.push(host));
      // an answer comes after what was sent before
      await next.networkLog();
      return { hosts, next };
    };
    const first = await heard();
    assert.ok(first.hosts.includes(lonely));
    const second = await heard();
    assert.deepEqual(second.hosts, []);
    second.next.dispose();
    connection = first.next;
    screen = await ScreenReader.attach(connection);
  });

  it('notes the denied hosts in its record, the first hundred, and how many it leaves off', async () => {
    await run(`python3 - <<'END'
import socket
for number in range(110):
  with socket.create_connection(('127.0.0.1', 3128)) as proxy:
    proxy.sendall(b'CONNECT host%d.example.org:443 HTTP/1.1\\r\\n\\r\\n' % number)
    proxy.recv(100)
END`);
    await connection.stop();
    const record = await waitUntil('the end is recorded', async () =>
      (await readRunRecords(folders.index)).find(({ end }) => end !== undefined),
    );
    assert.equal(record.deniedHosts?.length, 100);
    // those of the tests before count, too
    assert.equal(record.deniedHostsLeftOff, 12);
  });
});
