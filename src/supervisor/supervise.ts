import { hostname } from 'node:os';
import { join } from 'node:path';
import type { IPty } from 'node-pty';
import { readBootId } from '../host/processIdentity';
import { processStat } from '../host/procfs';
import { createRunDirectory, removeRunDirectory } from '../host/runDirectory';
import { removeIndexEntry, writeIndexEntry } from '../host/sandboxIndex';
import { toolEnvironment } from '../sandbox/hostEnvironment';
import { message } from '../sandbox/message';
import { planLaunch, type LaunchPlan } from '../sandbox/launchPlan';
import type { RunDirectory } from '../sandbox/runDirectory';
import { seccompProfile } from '../sandbox/seccompProfile';
import type { SandboxSpecification } from '../sandbox/specification';
import { AttendanceTimer } from './attendanceTimer';
import { AnswerBudget } from './answerBudget';
import { EscapeFilter, type EscapeFilterOptions } from './escapeFilter';
import { logStart, logStatus } from './logLines';
import type { Dimensions, ReadyLine, SandboxStatus, SandboxSummary } from './protocol';
import { loadNodePty, spawnInPseudoTerminal } from './pseudoTerminal';
import { startReaper } from './reaper';
import { Sandbox } from './sandbox';
import { Screen } from './screen';
import { SupervisorServer } from './server';
import { TerminalClients } from './terminalClients';

/** The size until a window says its own. */
const firstDimensions: Dimensions = { columns: 120, rows: 30 };

export interface SupervisionOptions {
  /** path of the bundled companion script */
  readonly companion: string;
  /** called once, when clients can connect */
  readonly onReady: (line: ReadyLine) => void;
  /** makes another plan of the launch; tests take isolation away with it, to see it noticed */
  readonly changePlan?: (plan: LaunchPlan) => LaunchPlan;
}

/**
 * Runs one sandbox from its start until nothing of it is left.
 *
 * @throws UserError when it could not be begun; nothing is left then
 */
export async function supervise(
  specification: SandboxSpecification,
  options: SupervisionOptions,
): Promise<void> {
  const nodePty = loadNodePty(specification.ptyModules);
  const run = createRunDirectory(specification.runDirectoryParents, {
    seccompProfile: seccompProfile(process.arch),
    opencodeConfiguration: specification.opencodeConfiguration,
    companion: options.companion,
  });
  try {
    const environment = { ...toolEnvironment(specification.apptainer, process.env), TERM: 'xterm-256color' };
    const asked = planLaunch(specification, run, environment);
    const plan = options.changePlan?.(asked) ?? asked;
    const pty = spawnInPseudoTerminal(nodePty, plan, firstDimensions);
    const sandbox = new Sandbox(specification, run, plan, pty);
    const reaper = startReaper(pty.pid, run.path, indexEntryPath(specification), () => {
      void sandbox.end({ reason: 'failed', explanation: noReaper });
    });
    sandbox.on('container', ({ init, imageServers }) => reaper.note([init, ...imageServers]));
    try {
      await serve(specification, { run, plan, sandbox, pty }, options.onReady);
    } catch (error) {
      await sandbox.end({ reason: 'failed' });
      throw error;
    } finally {
      reaper.release();
    }
  } finally {
    removeRunDirectory(run.path);
    await removeIndexEntry(specification.indexDirectory, specification.id);
  }
}

const noReaper = message(
  'The process that ends a sandbox for certain, should its supervisor be killed, could not be kept running. Without it none is started.',
);

interface StartedParts {
  readonly run: RunDirectory;
  readonly plan: LaunchPlan;
  readonly sandbox: Sandbox;
  readonly pty: IPty;
}

/** Connects the parts of a running sandbox with each other, and waits for its end. */
async function serve(
  specification: SandboxSpecification,
  { run, plan, sandbox, pty }: StartedParts,
  onReady: (line: ReadyLine) => void,
): Promise<void> {
  const terminals = connectTerminals(pty, {
    titlePrefix: 'Sandboxed Agent',
    mayWriteClipboard: specification.mayWriteClipboard ?? false,
    onClipboard: () => server.clipboardHeld(),
  });
  const attendance = new AttendanceTimer(specification.detachedTimeoutMilliseconds, () => {
    void sandbox.end({ reason: 'detachedTooLong' });
  });
  const server = new SupervisorServer(
    {
      summary: summarise(specification),
      status: () => sandbox.status,
      stop: () => sandbox.end({ reason: 'stopped' }),
      input: (data) => pty.write(data),
      terminals,
    },
    (clients) => attendance.changed(clients),
  );
  server.log(logStart(plan));
  let before: SandboxStatus | undefined;
  sandbox.on('status', (status) => {
    logStatus(status, before).forEach((line) => server.log(line));
    before = status;
    // the last output comes before the word that it was the last
    const shown = status.phase === 'ended' ? terminals.finish() : Promise.resolve();
    void shown.then(() => server.broadcastStatus(status));
  });
  const stop = (): void => void sandbox.end({ reason: 'stopped' });
  process.once('SIGTERM', stop).once('SIGINT', stop);
  await server.listen(run.supervisorSocket);
  // not before: another window connects as soon as it sees the entry
  await enterInIndex(specification, run);
  onReady({ ready: true, socket: run.supervisorSocket, runDirectory: run.path, pid: process.pid });
  await runToItsEnd(sandbox, server);
  process.off('SIGTERM', stop).off('SIGINT', stop);
  attendance.dispose();
  await server.close();
  terminals.dispose();
}

async function runToItsEnd(sandbox: Sandbox, server: SupervisorServer): Promise<void> {
  await sandbox.start().catch((error: unknown) => {
    server.log(`the start failed: ${String(error)}`);
    return sandbox.end({ reason: 'failed' });
  });
  await sandbox.ended;
}

/** Puts a screen and windows between the program's terminal and its users. */
function connectTerminals(pty: IPty, options: EscapeFilterOptions): TerminalClients {
  const filter = new EscapeFilter(options);
  const answers = new AnswerBudget();
  const screen = new Screen(firstDimensions, (answer) => {
    // else the window's own terminal answers the program's queries
    if (!terminals.hasClients && answers.allows(answer.length)) {
      pty.write(answer);
    }
  });
  let isOpen = true;
  pty.onExit(() => {
    isOpen = false;
  });
  const terminals = new TerminalClients(screen, {
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    resize: ({ columns, rows }) => {
      // a terminal that is gone has no size: node-pty throws
      if (isOpen) {
        pty.resize(columns, rows);
      }
    },
  });
  pty.onData((data) => terminals.write(filter.filter(data)));
  return terminals;
}

function summarise(specification: SandboxSpecification): SandboxSummary {
  const { id, kind, workspace, image, network } = specification;
  return {
    id,
    kind,
    workspace: workspace.path,
    image: image.path,
    network,
    startedAt: Date.now(),
    supervisorPid: process.pid,
  };
}

function indexEntryPath({ id, indexDirectory }: SandboxSpecification): string {
  return join(indexDirectory, `${id}.json`);
}

async function enterInIndex(specification: SandboxSpecification, run: RunDirectory): Promise<void> {
  const { id, indexDirectory, kind, workspace } = specification;
  await writeIndexEntry(indexDirectory, {
    id,
    kind,
    workspace: workspace.path,
    hostName: hostname(),
    bootId: await readBootId(),
    runDirectory: run.path,
    socket: run.supervisorSocket,
    supervisorPid: process.pid,
    supervisorStartTime: processStat(process.pid)?.startTime ?? '',
  });
}
