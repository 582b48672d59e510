import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { readProc } from '../../src/host/procfs';
import { codeOf } from '../../src/host/safeFiles';
import { image } from '../support/environment';
import { processesBelow } from '../support/processes';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { World } from '../support/world';
import { identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';
import { readSearch, searchCommand, writeSearch } from './support/searchInside';

/** Public, and never asked for: only the proxy would know the way. An address, so that no name server is, either. */
const address = '93.184.215.14';
const password = 'hunter2-5c1d0e';
const credentials = Buffer.from(`me:${password}`).toString('base64');
const secrets = [password, credentials];
const searched = ['environments', 'commandLines', 'temporary', 'runDirectory'] as const;

describe('a proxy of the site that wants a password', () => {
  let folders: TestFolders;
  let world: World;
  before(async () => {
    folders = new TestFolders();
    world = new World(join(folders.root, 'world'));
    await world.site('data.example.org', address, (_request, response) => response.end('here is the world'));
  });
  after(async () => {
    await world.close();
    folders.remove();
  });

  it('is passed by the gateway for a program inside, and the password is nowhere inside and in no process list', async () => {
    const url = await world.siteProxy(`Basic ${credentials}`);
    assert.equal(await statusWithoutPassword(url), 407);
    const { connection, supervisorPid, runDirectory } = await startSandbox(
      specify(folders, {
        image: identified(image()),
        network: 'restricted',
        access: { allowedHosts: [address], models: [], siteProxy: { url, exceptions: [] } },
        recordDirectory: folders.index,
      }),
      process.env,
      process.execPath,
      { modelKeys: {}, siteProxyAuthorization: `Basic ${credentials}`, environment: {} },
    );
    const log: string[] = [];
    connection.onLog((line) => log.push(line));
    const screen = await ScreenReader.attach(connection);
    await screen.shows(/Apptainer>/);
    screen.type(
      `curl -sS http://${address}/ >plain; curl -sSk https://${address}/ >tunnel; echo fetch""ed\r`,
    );
    await screen.shows(/fetched/);
    for (const name of ['plain', 'tunnel']) {
      assert.equal(readFileSync(join(folders.workspace, name), 'utf8'), 'here is the world', screen.text());
    }
    assert.deepEqual(world.proxied, [`GET http://${address}/`, `CONNECT ${address}:443`]);

    writeSearch(folders.workspace, secrets, [...searched]);
    screen.type(`${searchCommand}\r`);
    await waitUntil('it was searched', () => existsSync(join(folders.workspace, 'search.json')));
    assert.deepEqual(readSearch(folders.workspace, [...searched]), []);
    const processes = processesBelow(supervisorPid);
    assert.ok(processes.length >= 6);
    const seen = [
      ...processes.flatMap(({ pid, commandLine }) => [commandLine, readProc(`${pid}/environ`) ?? '']),
      spawnSync('ps', ['auxeww'], { encoding: 'utf8' }).stdout,
      ...[folders.workspace, folders.index, runDirectory].flatMap(contentsBelow),
      log.join('\n'),
      JSON.stringify(connection.status),
    ];
    assert.ok(seen.some((text) => text.includes(url)));
    assert.deepEqual(
      seen.filter((text) => secrets.some((secret) => text.includes(secret))),
      [],
    );
    await connection.stop();
    assert.ok(contentsBelow(folders.index).every((text) => !text.includes(credentials)));
  });
});

/** What the proxy answers to somebody who does not know its password. */
function statusWithoutPassword(url: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    get({ hostname, port, path: `http://${address}/` }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

/** A supervisor writes there meanwhile: what has gone since it was listed is left out. */
function contentsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile())
    .flatMap((path) => {
      try {
        return [readFileSync(path, 'latin1')];
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      }
    });
}
