import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxConnection } from '../../src/launch/connection';
import { fileProgram } from '../../src/sandbox/fileProgram';
import { image } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { endOf, identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

describe('a file that is run in a sandbox', () => {
  let folders: TestFolders;
  before(() => {
    folders = new TestFolders();
  });
  after(() => folders.remove());

  async function run(
    name: string,
    content: string,
    insideEnvironment: Readonly<Record<string, string>> = {},
  ): Promise<SandboxConnection> {
    const path = join(folders.workspace, name);
    writeFileSync(path, content);
    const { connection } = await startSandbox(
      specify(folders, {
        kind: 'run',
        image: identified(image()),
        home: { kind: 'memory' },
        program: fileProgram(path, content),
        insideEnvironment,
      }),
    );
    return connection;
  }

  it('is verified like an agent before it runs, writes into the folder, and has no network', async () => {
    const connection = await run(
      'plot.py',
      [
        'import os, socket, sys',
        "open('plot.png', 'w').write(os.getcwd())",
        "try: socket.create_connection(('127.0.0.1', 1))",
        'except OSError as error: print("socket:", error)',
        'print("routes:", len(open("/proc/net/route").readlines()))',
        'print("home:", os.environ["HOME"], os.listdir(os.environ["HOME"]))',
        'sys.stdin.readline()',
        'sys.exit(3)',
      ].join('\n'),
    );
    const screen = await ScreenReader.attach(connection);
    await screen.shows(/routes: 1[^]*home: \/home\/agent \[\]/);
    assert.equal(connection.status.verdict?.state, 'isolated');
    assert.equal(connection.status.verdict?.network, 'none');
    screen.type('\r');
    assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 3 });
    assert.equal(readFileSync(join(folders.workspace, 'plot.png'), 'utf8'), folders.workspace);
  });

  it('has the time zone that it was given, and UTC in an image without one', async () => {
    const zoneOf = async (environment: Readonly<Record<string, string>>): Promise<string> => {
      const script = '#!/bin/sh\nls /etc/localtime || printf %s "$TZ" >zone\n';
      assert.equal((await endOf(await run('zone.sh', script, environment))).reason, 'exited');
      return readFileSync(join(folders.workspace, 'zone'), 'utf8');
    };
    assert.equal(await zoneOf({}), 'UTC');
    assert.equal(await zoneOf({ TZ: 'Europe/Paris' }), 'Europe/Paris');
  });

  it('can be stopped, and is gone', async () => {
    const connection = await run('wait.sh', '#!/bin/sh\ntouch started\nexec sleep 600\n');
    await waitUntil('it runs', () => existsSync(join(folders.workspace, 'started')));
    await connection.stop();
    assert.equal((await endOf(connection)).reason, 'stopped');
  });

  it('ends with 127 where the image has nothing that runs it', async () => {
    const connection = await run('a.R', 'print(1)');
    assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 127 });
  });
});
