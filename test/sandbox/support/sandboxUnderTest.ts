import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { GatewayEffects } from '../../../src/gateway/gateway';
import { runGateway } from '../../../src/gateway/runGateway';
import { identifyTarget } from '../../../src/host/fileIdentity';
import { closeInheritedDescriptors } from '../../../src/host/inheritedDescriptors';
import { connectSandbox, firstPatienceMilliseconds } from '../../../src/launch/connect';
import type { SandboxConnection } from '../../../src/launch/connection';
import { startSupervisor } from '../../../src/launch/startSupervisor';
import type { LaunchPlan } from '../../../src/sandbox/launchPlan';
import { noSecrets, type SandboxSecrets } from '../../../src/sandbox/networkAccess';
import type { IdentifiedPath, SandboxSpecification } from '../../../src/sandbox/specification';
import type { Verdict } from '../../../src/sandbox/verdict';
import type { SandboxEnd } from '../../../src/supervisor/protocol';
import type { StartGateway } from '../../../src/supervisor/sandboxGateway';
import { supervise } from '../../../src/supervisor/supervise';
import { apptainer, shellImage } from '../../support/environment';

/** The repository, seen from `out/test/sandbox/support/`. */
const repository = resolve(__dirname, '../../../..');
export const bundles = join(repository, 'dist');

/** What a supervisor loads node-pty from. */
export const nodePtyFolder = join(repository, 'node_modules/node-pty');

/** A path with the identity that it has now. */
export function identified(path: string): IdentifiedPath {
  const identity = identifyTarget(path);
  if (!identity) {
    throw new Error(`${path} does not exist`);
  }
  return { path, identity };
}

/** At removing folders: 5 s in all. */
const mostTries = 50;

/** Folders of one test: a workspace with an agent-home, an index, and room for what the test makes. */
export class TestFolders {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-test-')));
  readonly workspace: string;
  readonly index = join(this.root, 'index');

  constructor(name = 'workspace') {
    this.workspace = join(this.root, name);
    for (const folder of [this.workspace, join(this.workspace, 'agent-home'), this.index]) {
      mkdirSync(folder, { mode: 0o700 });
    }
  }

  remove(): void {
    chmodSync(this.root, 0o700);
    // a supervisor writes its last record after it has told its end, and rmSync's own retries see no new file
    for (let tries = 1; ; tries += 1) {
      try {
        rmSync(this.root, { recursive: true, force: true });
        return;
      } catch (error) {
        if (tries === mostTries) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      }
    }
  }
}

/** What a sandbox of these folders is asked for: a shell without network in the tiny image, unless changed. */
export function specify(
  folders: TestFolders,
  changes: Partial<SandboxSpecification> = {},
): SandboxSpecification {
  return {
    id: randomBytes(8).toString('hex'),
    kind: 'shell',
    apptainer: realpathSync(apptainer()),
    image: identified(realpathSync(shellImage())),
    workspace: identified(folders.workspace),
    home: changes.home ?? { kind: 'folder', folder: identified(join(folders.workspace, 'agent-home')) },
    network: 'none',
    access: { allowedHosts: [], models: [] },
    opencodeConfiguration: {},
    insideEnvironment: {},
    ptyModules: [nodePtyFolder],
    runDirectoryParents: ['/tmp'],
    temporaryFiles: { parents: ['/var/tmp'], limitBytes: 2 ** 30 },
    indexDirectory: folders.index,
    detachedTimeoutMilliseconds: 60_000,
    ...changes,
  };
}

/**
 * Starts the bundled supervisor as the extension does, with `environment` as the extension host's own.
 *
 * @param nodePath what runs it, when it is not to be this very Node.js
 * @param secrets what the specification must not hold
 */
export async function startSandbox(
  specification: SandboxSpecification,
  environment: NodeJS.ProcessEnv = process.env,
  nodePath = process.execPath,
  secrets = noSecrets,
): Promise<{ connection: SandboxConnection; supervisorPid: number; runDirectory: string }> {
  const log: string[] = [];
  const started = await startSupervisor({
    nodePath,
    script: join(bundles, 'supervisor.js'),
    specification,
    secrets,
    environment,
    onLog: (line) => log.push(line),
  }).catch((error: unknown) => {
    throw new Error(`the supervisor did not start:\n${log.join('\n')}`, { cause: error });
  });
  // as the extension does
  const connection = await connectSandbox(started.socket, {
    patienceMilliseconds: firstPatienceMilliseconds,
  });
  return { connection, supervisorPid: started.pid, runDirectory: started.runDirectory };
}

/** Resolves with the end of a sandbox. */
export function endOf(connection: SandboxConnection): Promise<SandboxEnd> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (connection.status.end) {
        resolve(connection.status.end);
      }
    };
    connection.onStatus(look);
    connection.onClosed((clean) => {
      if (!clean) {
        reject(new Error('the supervisor went away without a word'));
      }
    });
    look();
  });
}

/** What became of a launch whose plan was changed. */
export interface ChangedLaunch {
  readonly end: SandboxEnd;
  /** the last one; undefined when the container never reached the gate */
  readonly verdict: Verdict | undefined;
}

/**
 * Runs the supervisor's own code in this process, with the plan of the launch changed: what is asked of the container
 * differs then from what is expected of it. Waits for its end.
 */
export async function superviseChanged(
  specification: SandboxSpecification,
  changePlan: (plan: LaunchPlan) => LaunchPlan,
): Promise<ChangedLaunch> {
  // as the supervisor's own process does
  closeInheritedDescriptors();
  let outcome: Promise<ChangedLaunch> | undefined;
  await supervise(specification, {
    companion: join(bundles, 'companion.mjs'),
    extensionVersion: '0.0.0',
    secrets: noSecrets,
    changePlan,
    onReady: (line) => {
      if (!line.ready) {
        throw new Error(line.code);
      }
      outcome = connectSandbox(line.socket).then(async (connection) => {
        const end = await endOf(connection);
        return { end, verdict: connection.status.verdict };
      });
    },
  });
  if (!outcome) {
    throw new Error('the supervisor was never ready');
  }
  return outcome;
}

/**
 * Runs the supervisor's own code in this process, with a gateway in this thread that meets `effects` instead of the
 * world.
 */
export function superviseInWorld(
  specification: SandboxSpecification,
  effects: GatewayEffects,
  secrets: SandboxSecrets = noSecrets,
): Promise<SandboxConnection> {
  return superviseHere(
    specification,
    (options, listeners) => runGateway(options, effects, listeners),
    secrets,
  );
}

/** Supervises a sandbox in this process, with a gateway that is started in another way. */
export async function superviseHere(
  specification: SandboxSpecification,
  startGateway: StartGateway,
  secrets: SandboxSecrets = noSecrets,
): Promise<SandboxConnection> {
  closeInheritedDescriptors();
  return new Promise((resolve, reject) => {
    supervise(specification, {
      companion: join(bundles, 'companion.mjs'),
      extensionVersion: '0.0.0',
      secrets,
      startGateway,
      onReady: (line) => {
        if (line.ready) connectSandbox(line.socket).then(resolve, reject);
        else reject(new Error(line.code));
      },
    }).catch(reject);
  });
}
