import { hostname } from 'node:os';
import { join } from 'node:path';
import type { IPty } from 'node-pty';
import { readBootId } from '../host/processIdentity';
import { processStat } from '../host/procfs';
import { createRunDirectory, removeRunDirectory } from '../host/runDirectory';
import { removeIndexEntry, writeIndexEntry } from '../host/sandboxIndex';
import { toolEnvironment } from '../sandbox/hostEnvironment';
import { planLaunch, type LaunchPlan } from '../sandbox/launchPlan';
import type { RunDirectory } from '../sandbox/runDirectory';
import { seccompProfile } from '../sandbox/seccompProfile';
import type { SandboxSpecification } from '../sandbox/specification';
import { AttendanceTimer } from './attendanceTimer';
import type { Dimensions, ReadyLine, SandboxSummary } from './protocol';
import { loadNodePty, spawnInPseudoTerminal } from './pseudoTerminal';
import { startReaper } from './reaper';
import { Sandbox } from './sandbox';
import { Screen } from './screen';
import { SupervisorServer } from './server';
import { TerminalClients } from './terminalClients';

/** The size until a window says its own. */
const firstDimensions: Dimensions = { columns: 120, rows: 30 };

/** Turns the plan of a launch into another one; tests take isolation away with it. */
export type PlanChange = (plan: LaunchPlan) => LaunchPlan;

/**
 * Runs one sandbox from its start until nothing of it is left.
 *
 * @param onReady called once, when clients can connect
 * @throws UserError when it could not be begun; nothing is left then
 */
export async function supervise(
  specification: SandboxSpecification,
  onReady: (line: ReadyLine) => void,
  changePlan: PlanChange = (plan) => plan,
): Promise<void> {
  const nodePty = loadNodePty(specification.ptyModules);
  const run = createRunDirectory(specification.runDirectoryParents, {
    seccompProfile: seccompProfile(process.arch),
    opencodeConfiguration: specification.opencodeConfiguration,
    companion: join(__dirname, 'companion.mjs'),
  });
  try {
    const environment = { ...toolEnvironment(specification.apptainer, process.env), TERM: 'xterm-256color' };
    const plan = changePlan(planLaunch(specification, run, environment));
    const indexEntry = await enterInIndex(specification, run);
    const pty = spawnInPseudoTerminal(nodePty, plan, firstDimensions);
    const reaper = startReaper(pty.pid, run.path, indexEntry);
    await serve(specification, run, new Sandbox(specification, run, plan, pty), pty, onReady);
    reaper.release();
  } finally {
    removeRunDirectory(run.path);
    await removeIndexEntry(specification.indexDirectory, specification.id);
  }
}

/** Connects the parts of a running sandbox with each other, and waits for its end. */
async function serve(
  specification: SandboxSpecification,
  run: RunDirectory,
  sandbox: Sandbox,
  pty: IPty,
  onReady: (line: ReadyLine) => void,
): Promise<void> {
  const screen = new Screen(firstDimensions, (answer) => {
    // else the window's own terminal answers the program's queries
    if (!terminals.hasClients) {
      pty.write(answer);
    }
  });
  const terminals = new TerminalClients(screen, {
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    resize: ({ columns, rows }) => pty.resize(columns, rows),
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
  pty.onData((data) => terminals.write(data));
  sandbox.on('status', (status) => server.broadcastStatus(status));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void sandbox.end({ reason: 'stopped' }));
  }
  await server.listen(run.supervisorSocket);
  onReady({ ready: true, socket: run.supervisorSocket, runDirectory: run.path, pid: process.pid });
  await sandbox.start();
  await sandbox.ended;
  attendance.dispose();
  await new Promise<void>((resolve) => screen.whenParsed(resolve));
  server.close();
  screen.dispose();
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

/** @returns the path of the entry */
async function enterInIndex(specification: SandboxSpecification, run: RunDirectory): Promise<string> {
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
  return join(indexDirectory, `${id}.json`);
}
