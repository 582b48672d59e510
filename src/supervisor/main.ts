/**
 * The supervisor: a detached process per sandbox. Its arguments are folders to load node-pty from while it waits. Reads
 * one SupervisorInput as JSON from its standard input, prints one ReadyLine, and says no more there: whoever started it
 * lets go of the other ends, and it outlives them. An input that ends with nothing in it was given up, and so does it.
 */
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { parseAs } from '../sandbox/parseAs';
import { writeCrashNote } from '../host/crashNotes';
import { closeInheritedDescriptors } from '../host/inheritedDescriptors';
import { preloadNodePty } from '../host/nodePty';
import { readBootId, readMachineId } from '../host/processIdentity';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { supervisorInput } from './input';
import type { ReadyLine } from './protocol';
import { supervise } from './supervise';

/** Node exits on these; the supervisor ends its sandbox first, or has nothing to do with them. */
process.on('SIGHUP', () => undefined);

/**
 * Descriptors 0 to 2 stay what they are, though nobody is at their other ends: closed, one of their numbers could be
 * given to a thread that is just being started, and libuv aborts the process when it closes such a one (`uv__close`;
 * seen in one of about sixty starts). A warning of Node must then find nobody there in silence.
 */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** Says for the log of a window why this process ends, once it is known whose it is. */
let note: (error: unknown) => void = () => undefined;

function announce(line: ReadyLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function main(): Promise<void> {
  closeInheritedDescriptors();
  if (process.getuid?.() === 0) {
    throw new UserError(
      'user.root',
      message('Apptainer run by root is no sandbox: start this as an ordinary user.'),
    );
  }
  preloadNodePty(process.argv.slice(2));
  // every sandbox is entered with them, and they are read while we wait
  readBootId().catch(() => undefined);
  void readMachineId();
  // whoever started us is still finding out what is to be kept
  const input = readFileSync(0, 'utf8');
  if (input === '') return;
  const { specification, secrets } = parseAs(supervisorInput, JSON.parse(input));
  note = (error) => writeCrashNote(specification.recordDirectory, specification.id, error);
  process.on('uncaughtExceptionMonitor', note);
  await supervise(specification, {
    secrets,
    companion: join(__dirname, 'companion.mjs'),
    probes: join(__dirname, 'probes.mjs'),
    // when it is wanted: Apptainer need not wait for that
    get extensionVersion() {
      return readVersion();
    },
    onReady: announce,
  });
}

/** The extension's version, in its manifest beside the folder of the bundles. */
function readVersion(): string {
  const manifest = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as unknown;
  return parseAs(v.object({ version: v.string() }), manifest).version;
}

main().then(
  // an ordinary exit waits for the gateway's thread, and that for a name server that does not answer (measured: 8 s)
  () => process.kill(process.pid, 'SIGKILL'),
  (error: unknown) => {
    note(error);
    const known = error instanceof UserError ? error : undefined;
    const explanation = known?.description ?? message('The supervisor of the sandbox could not be started.');
    writeSync(2, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    announce({ ready: false, code: known?.code ?? 'supervisor.failed', explanation });
    process.exit(1);
  },
);
