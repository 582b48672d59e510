import { keepCompiledCode } from '../host/compiledCode';
import type { LaunchPlan } from '../sandbox/launchPlan';
import type { SandboxSpecification } from '../sandbox/specification';
import { AttendanceTimer } from './attendanceTimer';
import { logModels, logStart, logStatus } from './logLines';
import { connectTerminals } from './programTerminal';
import type { SandboxStatus, SandboxSummary } from './protocol';
import { RunRecorder } from './runRecorder';
import type { Sandbox } from './sandbox';
import { gatewayFailed, supervisorFailed } from './sandboxEnds';
import { SupervisorServer } from './server';
import type { Serve, StartedParts, SupervisionOptions } from './supervision';
import { TemporaryWatch } from './temporaryWatch';
import type { TerminalClients } from './terminalClients';

/** Connects the parts of a running sandbox with each other, and waits for its end. */
export const serve: Serve = async (specification, parts, options) => {
  const { run, temporaryFiles, plan, sandbox, gateway, pty, undo, registration } = parts;
  const { terminals, screen } = connectTerminals(pty, {
    titlePrefix: 'Sandboxed Agent',
    mayWriteClipboard: specification.mayWriteClipboard ?? false,
    onClipboard: () => server.clipboardHeld(),
  });
  const { attendance, watch } = setLimits(specification, temporaryFiles, sandbox);
  const server = new SupervisorServer(
    {
      summary: summarise(specification),
      status: () => toldStatus(parts),
      stop: () => sandbox.end({ reason: 'stopped' }).finally(() => registration.over()),
      input: (data) => pty.write(data),
      terminals,
      networkLog: () => gateway.entries(),
      setAllowedHosts: (hosts) => gateway.setAllowedHosts(hosts),
      startWithoutUndo: () => undo.startWithoutUndo(),
    },
    (clients) => attendance.changed(clients),
  );
  server.log(logStart(plan));
  const recorder = startRecorder(specification, plan, options, server);
  // a program that was asked for by its name is rarely one that asks its terminal, and may be over at once
  const prepare = specification.program === undefined ? () => screen.prepare() : () => Promise.resolve();
  followStatus(parts, { server, terminals, recorder, prepare });
  followGateway(parts, server);
  followUndo(parts, server);
  const stop = (): void => void sandbox.end({ reason: 'stopped' });
  process.once('SIGTERM', stop).once('SIGINT', stop);
  await server.listen(run.supervisorSocket);
  // not before: another window connects as soon as it sees the entry
  await enterStarted(parts);
  options.onReady({ ready: true, socket: run.supervisorSocket, runDirectory: run.path, pid: process.pid });
  await runToItsEnd(sandbox, server);
  process.off('SIGTERM', stop).off('SIGINT', stop);
  attendance.dispose();
  watch.dispose();
  await Promise.all([server.firstClient(), undo.close()]);
  await recorder?.close();
  return async () => {
    await server.close();
    terminals.dispose();
  };
};

/** What ends a sandbox although nobody asked. */
function setLimits(
  { detachedTimeoutMilliseconds, temporaryFiles: { limitBytes } }: SandboxSpecification,
  temporaryFiles: string,
  sandbox: Sandbox,
): { readonly attendance: AttendanceTimer; readonly watch: TemporaryWatch } {
  return {
    attendance: new AttendanceTimer(detachedTimeoutMilliseconds, () => {
      void sandbox.end({ reason: 'detachedTooLong' });
    }),
    watch: new TemporaryWatch(temporaryFiles, limitBytes, (explanation) => {
      void sandbox.end({ reason: 'failed', explanation });
    }),
  };
}

interface StatusFollowers {
  readonly server: SupervisorServer;
  readonly terminals: TerminalClients;
  readonly recorder: RunRecorder | undefined;
  /** makes what an interactive program needs of its terminal */
  readonly prepare: () => Promise<void>;
}

/** What clients are told: the status of the sandbox, with what its gateway knows, and whether it can be undone. */
function toldStatus({ sandbox, gateway, undo }: StartedParts, status = sandbox.status): SandboxStatus {
  const told = { ...status, models: gateway.models(), reach: gateway.reach() };
  return undo.status ? { ...told, undo: undo.status } : told;
}

/** Tells every status to the log, the record and the clients. */
function followStatus(parts: StartedParts, followers: StatusFollowers): void {
  const { server, terminals, recorder, prepare } = followers;
  const { sandbox, gateway, registration } = parts;
  let before: SandboxStatus | undefined;
  sandbox.on('status', (status) => {
    logStatus(status, before).forEach((line) => server.log(line));
    // all that a start needs has been compiled by now
    if (status.phase === 'running' && before?.phase !== 'running') {
      setImmediate(() => void prepare().finally(keepCompiledCode));
    }
    before = status;
    recorder?.follow(status, gateway.deniedHosts());
    // the last output comes before the word that it was the last
    const isTime = status.phase === 'ended' && Promise.all([terminals.finish(), registration.over()]);
    void Promise.resolve(isTime).then(() => server.broadcastStatus(toldStatus(parts, status)));
  });
}

/** Tells what the gateway sees; without it the sandbox can't go on. */
function followGateway(parts: StartedParts, server: SupervisorServer): void {
  const { sandbox, gateway } = parts;
  gateway.on('network', (entries) => server.broadcastNetwork(entries));
  gateway.on('models', (models) => {
    server.log(logModels(models));
    server.broadcastStatus(toldStatus(parts));
  });
  gateway.on('reach', () => server.broadcastStatus(toldStatus(parts)));
  gateway.on('failure', (error) => {
    server.log(`the gateway failed: ${error.message}`);
    void sandbox.end({ reason: 'failed', explanation: gatewayFailed });
  });
}

/** Tells whether the gate waits for what is noted of the workspace. */
function followUndo(parts: StartedParts, server: SupervisorServer): void {
  parts.undo.on('status', (status) => {
    if (status.state !== 'taking') server.log(`undo: ${JSON.stringify(status)}`);
    server.broadcastStatus(toldStatus(parts));
  });
}

/** Enters what has been started, and the container as soon as there is one. */
async function enterStarted({ sandbox, reaper, registration }: StartedParts): Promise<void> {
  sandbox.on('container', ({ init }) => {
    // without it the sandbox is ended just the same, by its starter
    registration.update({ init }).catch(() => undefined);
  });
  await registration.update({
    isStarting: false,
    starter: sandbox.starterIdentity,
    ...(reaper.process && { reaper: reaper.process }),
  });
}

function startRecorder(
  specification: SandboxSpecification,
  plan: LaunchPlan,
  { extensionVersion }: SupervisionOptions,
  server: SupervisorServer,
): RunRecorder | undefined {
  const { recordDirectory } = specification;
  const onFailure = (error: unknown): void => server.log(`the run could not be recorded: ${String(error)}`);
  return recordDirectory === undefined
    ? undefined
    : new RunRecorder(recordDirectory, specification, plan, { extensionVersion, onFailure });
}

async function runToItsEnd(sandbox: Sandbox, server: SupervisorServer): Promise<void> {
  await sandbox.start().catch((error: unknown) => {
    server.log(`the start failed: ${String(error)}`);
    return sandbox.end({ reason: 'failed', explanation: supervisorFailed });
  });
  await sandbox.ended;
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
