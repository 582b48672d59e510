import { loadNodePty } from '../host/nodePty';
import { identifyProcess } from '../host/processIdentity';
import { toolEnvironment } from '../sandbox/hostEnvironment';
import { planLaunch, type LaunchPlan } from '../sandbox/launchPlan';
import type { RunDirectory } from '../sandbox/runDirectory';
import { runsOpencode, type SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';
import { explainFullDisk } from './fullDisk';
import { HomeUse } from './homeUse';
import { IndexRegistration } from './indexRegistration';
import type { SandboxEnd } from './protocol';
import { firstDimensions, spawnInPseudoTerminal } from './pseudoTerminal';
import { startReaper, type Reaper } from './reaper';
import { refuseConflictsOf } from './refuseConflict';
import { SandboxPlaces } from './sandboxPlaces';
import type { Farewell, SuperviseStarted, SupervisionOptions } from './supervision';

/**
 * Runs one sandbox from its start until nothing of it is left.
 *
 * @throws UserError when it could not be begun; nothing is left then
 */
export async function supervise(
  specification: SandboxSpecification,
  options: SupervisionOptions,
): Promise<void> {
  requireRoom(specification);
  const nodePty = loadNodePty(specification.ptyModules);
  const registration = new IndexRegistration(specification);
  const places = new SandboxPlaces(specification, registration);
  const homeUse = await HomeUse.begin(specification);
  let end: SandboxEnd | undefined;
  let finished: Reaper | undefined;
  let farewell: Farewell | undefined;
  const homeLock = homeUse.heldLock;
  try {
    if (homeLock) await registration.update({ homeLock });
    const { run, temporaryFiles } = await makePlaces(places, specification, options);
    const plan = planOf(specification, run, options);
    const pty = spawnInPseudoTerminal(nodePty, plan, firstDimensions);
    const starter = identifyProcess(pty.pid) ?? { pid: pty.pid, startTime: '0' };
    const left = { runDirectory: run.path, temporaryFiles, indexEntry: registration.path, homeLock };
    const reaperGone = new AbortController();
    const reaper = startReaper(starter, left, () => reaperGone.abort());
    finished = reaper;
    const started = { run, temporaryFiles, plan, pty, reaper, reaperGone: reaperGone.signal, registration };
    const superviseStarted = await loadSuperviseStarted();
    farewell = await superviseStarted(specification, started, options, (status) => {
      homeUse.follow(status);
      end = status.end;
    });
  } finally {
    // before the farewell: a window may take long to hear of the end, and the next sandbox needs the home
    await letGo({ homeUse, places, registration }, end).finally(farewell);
  }
  finished?.release();
}

interface Held {
  readonly homeUse: HomeUse;
  readonly places: SandboxPlaces;
  readonly registration: IndexRegistration;
}

/** Gives back what a sandbox had on the host. */
async function letGo({ homeUse, places, registration }: Held, end: SandboxEnd | undefined): Promise<void> {
  await homeUse.end(end);
  await places.remove();
  await registration.remove();
}

/** Makes its places, so that it is entered: of two that start at the same time, at least the later finds the other. */
async function makePlaces(
  places: SandboxPlaces,
  specification: SandboxSpecification,
  options: SupervisionOptions,
): ReturnType<SandboxPlaces['make']> {
  const made = await places.make(options);
  await refuseConflictsOf(specification);
  return made;
}

function planOf(
  specification: SandboxSpecification,
  run: RunDirectory,
  { secrets, changePlan }: SupervisionOptions,
): LaunchPlan {
  const environment = { ...toolEnvironment(specification.apptainer, process.env), TERM: 'xterm-256color' };
  const asked = planLaunch(specification, run, environment, secrets.environment);
  return changePlan?.(asked) ?? asked;
}

/**
 * The larger part of our code is run while Apptainer starts. In a bundle that is before the event loop goes on: no output
 * of Apptainer is lost.
 */
async function loadSuperviseStarted(): Promise<SuperviseStarted> {
  return (await import('./superviseStarted.js')).superviseStarted;
}

/** A shell can make room. @throws UserError `disk.full` */
function requireRoom(specification: SandboxSpecification): void {
  const description = runsOpencode(specification.kind) ? explainFullDisk(specification) : undefined;
  if (description) {
    throw new UserError('disk.full', description);
  }
}
