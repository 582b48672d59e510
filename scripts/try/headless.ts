import { join } from 'node:path';
import { lookAgain, lookOnce } from '../../src/host/snapshot/take';
import { connectSandbox } from '../../src/launch/connect';
import type { SandboxConnection } from '../../src/launch/connection';
import { wantedModels } from '../../src/launch/modelAccess';
import { prepareSandbox } from '../../src/launch/prepare';
import { startSupervisor } from '../../src/launch/startSupervisor';
import { readProjectConfiguration } from '../../src/opencode/projectConfiguration';
import { formatMessage } from '../../src/sandbox/message';
import type { NetworkMode } from '../../src/sandbox/specification';
import type { SupervisorInput } from '../../src/supervisor/input';
import { fromText, toText } from '../../src/snapshot/bytePath';
import { diffManifests } from '../../src/snapshot/diff';
import { type Manifest, maximumFileBytes } from '../../src/snapshot/manifest';
import type { SandboxEnd } from '../../src/supervisor/protocol';
import { startDemoModel } from '../demoModel/server';
import { repositoryFolder } from '../setup/paths';
import { say } from '../setup/progress';
import { announceDemoModel, announceMissingModel } from './announcement';
import { demoConfiguration, demoProvider } from './demoConfiguration';
import { findProjectModel } from './projectModel';
import { plainLine, PlainLines } from './terminalText';
import { finalVerdictLine, verdictLines } from './verdictText';
import { headlessStorage } from './workspace';

export interface HeadlessTask {
  /** absolute */
  readonly folder: string;
  readonly task: string;
  readonly network: NetworkMode;
  readonly timeoutMilliseconds: number;
  readonly apptainer: string;
  readonly image: string;
  /** ends the sandbox */
  readonly signal: AbortSignal;
  /** one line of the result */
  readonly print: (line: string) => void;
}

/** As timeout(1) and the shell have them; the last for a sandbox that was refused or broke. */
const exitCodes = { deadline: 124, stopped: 130, failed: 1, refused: 3, broken: 3 } as const;

const shownChanges = 100;

/** What is read to compare it; files beyond are told apart by their times. */
const comparedBytes = 64 * 2 ** 20;

/** In front of each line of the agent's, so that none of them can pass for one of ours. */
const agentMark = '| ';

/**
 * Runs one task in a sandbox and prints the verdict, the agent's text and the changed files.
 * @returns the exit code of the task, or one that says why there is none
 * @throws UserError when the sandbox can't be started
 */
export async function runHeadless(task: HeadlessTask): Promise<number> {
  const model = await findProjectModel(task.folder);
  if (model.kind === 'configured') {
    return await runTask(task, undefined);
  }
  announceMissingModel(model);
  announceDemoModel();
  const demo = await startDemoModel();
  try {
    return await runTask(task, demo.baseUrl);
  } finally {
    await demo.close();
  }
}

/** @param demoUrl base URL of the demo model, when that is to be used */
async function runTask(task: HeadlessTask, demoUrl: string | undefined): Promise<number> {
  const input = await prepare(task);
  const before = lookOnce({
    id: input.specification.id,
    reason: 'start',
    time: Date.now(),
    workspace: input.specification.workspace.path,
    closed: [fromText('agent-home')],
    limits: { maximumBytes: comparedBytes, maximumFileBytes, respectsIgnoreFiles: true },
  });
  const { socket } = await startSupervisor({
    nodePath: process.execPath,
    script: join(repositoryFolder, 'dist/supervisor.js'),
    ...(demoUrl === undefined ? input : withDemoModel(input, demoUrl)),
    environment: process.env,
    onLog: say,
  });
  const connection = await connectSandbox(socket);
  try {
    const end = await follow(connection, task);
    task.print('');
    task.print(finalVerdictLine(connection.status.verdict, end, Date.now()));
    printChanges(task, before);
    return report(end);
  } finally {
    connection.dispose();
  }
}

async function prepare(task: HeadlessTask): Promise<SupervisorInput> {
  // who names the folder on the command line means its models, too
  const wanted = wantedModels(await readProjectConfiguration(task.folder));
  const { specification, secrets } = await prepareSandbox({
    kind: 'task',
    workspace: task.folder,
    settings: {
      apptainerPath: task.apptainer,
      image: task.image,
      agentHome: 'workspace',
      network: task.network,
      // should we be killed, nothing is left running
      temporaryFilesLimitBytes: 2 ** 31,
      detachedTimeoutMilliseconds: 0,
    },
    grants: { approved: wanted.map(({ baseUrl }) => baseUrl), keys: new Map() },
    prompt: task.task,
    deadlineMilliseconds: task.timeoutMilliseconds,
    ptyModules: [join(repositoryFolder, 'node_modules/node-pty')],
    platform: process.platform,
    uid: process.getuid?.() ?? 0,
    environment: process.env,
    storageDirectory: headlessStorage,
    serverFolders: [],
    signal: task.signal,
  });
  return { specification, secrets };
}

function withDemoModel({ specification, secrets }: SupervisorInput, demoUrl: string): SupervisorInput {
  const { access, opencodeConfiguration } = specification;
  const model = { providerId: demoProvider, baseUrl: demoUrl, authentication: 'none' } as const;
  return {
    specification: {
      ...specification,
      access: { ...access, models: [model] },
      opencodeConfiguration: { ...opencodeConfiguration, ...demoConfiguration(demoUrl) },
    },
    secrets,
  };
}

/** Prints what happens until the sandbox has ended. */
async function follow(
  connection: SandboxConnection,
  { signal, print }: HeadlessTask,
): Promise<SandboxEnd | undefined> {
  const lines = new PlainLines((line) => print(`${agentMark}${line}`));
  let received = 0;
  let shown = '';
  const showVerdict = (): void => {
    const { verdict } = connection.status;
    const facts =
      verdict === undefined ? '' : [verdict.state, ...verdict.lines.map(({ status }) => status)].join();
    if (verdict !== undefined && facts !== shown) {
      shown = facts;
      [...verdictLines(verdict), ''].forEach((line) => print(line));
    }
  };
  const closed = new Promise<void>((resolve) => connection.onClosed(() => resolve()));
  connection.onOutput((data) => {
    lines.add(data);
    received += data.length;
    connection.acknowledge(received);
  });
  connection.onStatus(showVerdict);
  showVerdict();
  const stop = (): void => void connection.stop().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) {
    stop();
  }
  await connection.attachTerminal({ columns: 120, rows: 40 }).catch(() => undefined);
  await closed;
  lines.end();
  return connection.status.end;
}

function printChanges({ print }: HeadlessTask, before: Manifest): void {
  const after = lookAgain(before);
  const changes = diffManifests(before, after);
  print(changes.length === 0 ? 'Changed files: none' : 'Changed files:');
  for (const { path, kind } of changes.slice(0, shownChanges)) {
    print(`  ${kind.padEnd(7)} ${plainLine(toText(path).replaceAll('\n', '\ufffd'))}`);
  }
  if (changes.length > shownChanges) {
    print(`  … and ${changes.length - shownChanges} more`);
  }
  if (before.isTruncated || after.isTruncated) {
    print('  (the folder has too many files to look at all of them)');
  }
}

/** Says why a task did not end by itself. @returns the exit code */
function report(end: SandboxEnd | undefined): number {
  if (end?.explanation !== undefined) {
    say(formatMessage(end.explanation));
  }
  if (end?.diagnostics !== undefined) {
    end.diagnostics.split('\n').forEach((line) => say(plainLine(line)));
  }
  switch (end?.reason) {
    case 'exited':
      return end.exitCode ?? 1;
    case 'deadline':
      say('The time is up, so the sandbox was ended.');
      return exitCodes.deadline;
    case 'stopped':
    case 'refused':
    case 'broken':
      return exitCodes[end.reason];
    case 'failed':
    case 'detachedTooLong':
    case undefined:
      return exitCodes.failed;
  }
}
