import { message } from '../sandbox/message';
import { Sandbox } from './sandbox';
import { supervisorFailed } from './sandboxEnds';
import { SandboxGateway } from './sandboxGateway';
import type { Serve, SuperviseStarted } from './supervision';
import { UndoKeeper } from './undoKeeper';

/** Takes over once Apptainer was started, and its reaper with it. */
export const superviseStarted: SuperviseStarted = async (specification, started, options, onStatus) => {
  const { run, plan, pty, reaper, reaperGone } = started;
  const undo = new UndoKeeper(specification);
  const gateway = new SandboxGateway(specification, run, options.secrets, options.startGateway);
  const sandbox = new Sandbox(specification, run, plan, pty, gateway, undo.mayOpen);
  const endWithoutReaper = (): void => void sandbox.end({ reason: 'failed', explanation: noReaper });
  if (reaperGone.aborted) endWithoutReaper();
  reaperGone.addEventListener('abort', endWithoutReaper);
  sandbox.on('container', ({ init, imageServers }) => reaper.note([init, ...imageServers]));
  sandbox.on('status', onStatus);
  try {
    const serve = await loadServe();
    return await serve(specification, { ...started, sandbox, gateway, undo }, options);
  } catch (error) {
    // after that: what it changes meanwhile is its work
    await sandbox.end({ reason: 'failed', explanation: supervisorFailed }).finally(() => undo.close());
    throw error;
  }
};

/** What windows need comes last: also in a bundle before the event loop goes on. */
async function loadServe(): Promise<Serve> {
  return (await import('./serveSandbox.js')).serve;
}

const noReaper = message(
  'The process that ends a sandbox for certain, should its supervisor be killed, could not be kept running. Without it none is started.',
);
