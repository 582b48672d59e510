import type { PreparedSandbox } from '../../launch/prepare';
import type { PrepareRequest } from '../../launch/prepareRequest';
import type { KnownSandbox, RegistryOptions } from '../../launch/sandboxRegistry';
import { startSandbox, type StartParts } from '../../launch/startSandbox';
import type { WaitingSupervisor } from '../../launch/startSupervisor';
import type { SandboxSpecification } from '../../sandbox/specification';
import type { SupervisorInput } from '../../supervisor/input';
import type { Waiting } from '../sessions/homeOpener';
import type { LaunchRequests, Wish } from './launchRequests';
import type { GrantedModels } from '../models/modelGrants';
import type { SandboxTerminal } from '../terminal/sandboxTerminal';

/** The steps of a start. */
export interface LaunchOptions {
  readonly requests: LaunchRequests;
  readonly models: Pick<GrantedModels, 'ask'>;
  readonly registry: StartParts['registry'];
  readonly prepare: (request: PrepareRequest) => Promise<PreparedSandbox>;
  /** called with what is going to be started, before it is; not for what is only looked at */
  readonly onPrepared: (prepared: PreparedSandbox) => void;
  /** looks at the model before a start @throws UserError, Cancelled when it must not be so */
  readonly checkModel: (input: SupervisorInput, signal: AbortSignal) => Promise<void>;
  /** looks at the agent's home before a start @throws UserError, Cancelled when it must not be so */
  readonly openHome: (specification: SandboxSpecification, waiting: Waiting) => Promise<void>;
  /** has the process of a supervisor made ready */
  readonly spawnSupervisor: () => Promise<WaitingSupervisor>;
  /** has it keep a sandbox @returns the supervisor's socket; that of another one for the same sandbox, if there is one */
  readonly startSupervisor: (input: SupervisorInput, supervisor: WaitingSupervisor) => Promise<string>;
  readonly connect: RegistryOptions['connect'];
}

/**
 * Starts what is wished for, and shows it in a terminal. The supervisor's process is loaded while all the rest is found
 * out, and ended when nothing comes of it.
 * @throws UserError, Cancelled when the terminal was closed meanwhile
 */
export async function launchSandbox(
  options: LaunchOptions,
  wish: Wish,
  terminal: SandboxTerminal,
): Promise<KnownSandbox> {
  // that may ask, and somebody who is asked takes his time
  if (wish.kind !== 'run') await options.models.ask(terminal.subject.workspace, terminal.signal);
  const supervisor = await options.spawnSupervisor();
  try {
    return await launchWith(supervisor, options, wish, terminal);
  } finally {
    supervisor.dispose();
  }
}

async function launchWith(
  supervisor: WaitingSupervisor,
  options: LaunchOptions,
  wish: Wish,
  terminal: SandboxTerminal,
): Promise<KnownSandbox> {
  const { signal, subject } = terminal;
  const { requests, registry, connect } = options;
  const request = await requests.build(wish, subject.workspace);
  const prepared = await options.prepare({ ...request, signal });
  options.onPrepared(prepared);
  const { secrets, notes } = prepared;
  const specification = { ...prepared.specification, ...(wish.resume && { resume: wish.resume }) };
  notes.forEach((note) => terminal.say(note));
  const input = { specification, secrets };
  await options.openHome(specification, terminal);
  await options.checkModel(input, signal);
  const parts = { registry, connect, startSupervisor: () => options.startSupervisor(input, supervisor) };
  const { sandbox, connection } = await startSandbox(input, parts, signal);
  terminal.connect(connection);
  return sandbox;
}
