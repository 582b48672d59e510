/**
 * Keeps one script of ours in a sandbox (see `sandboxedScript.ts`), in a process of its own because an editor's has
 * descriptors that a container would inherit. The first line of its standard input says which sandbox; all further
 * input is the script's. It answers with one ReadyLine of its own, and passes on what the script writes. When its
 * input ends, or it is killed, the script's container is gone. Its exit status says whether the image could run scripts.
 */
import { writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inspect } from 'node:util';
import { closeInheritedDescriptors } from '../host/inheritedDescriptors';
import { message } from '../sandbox/message';
import { parseAs } from '../sandbox/parseAs';
import { UserError } from '../sandbox/userError';
import { SandboxedScript } from './sandboxedScript';
import { notFoundStatus, scriptInput, type ScriptReadyLine } from './scriptInput';

const longestFirstLine = 65_536;

// whoever is asked to end while the container is being made ends it first: our input ends, too
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
  process.on(signal, () => undefined);
}

function announce(line: ScriptReadyLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** @returns the first line, and what has come of the rest */
function firstLine(): Promise<{ line: string; rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const take = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\n');
      if (end < 0 && received.length < longestFirstLine) return;
      process.stdin.off('data', take).pause();
      resolve({ line: received.subarray(0, end).toString('utf8'), rest: received.subarray(end + 1) });
    };
    process.stdin.on('data', take).once('end', () => reject(new Error('nothing to do')));
  });
}

async function main(): Promise<number> {
  closeInheritedDescriptors();
  const { line, rest } = await firstLine();
  const { sandbox, script: name } = parseAs(scriptInput, JSON.parse(line));
  const script = await SandboxedScript.start(sandbox, join(__dirname, basename(name)));
  announce({ ready: true });
  script.input.write(rest);
  process.stdin.pipe(script.input);
  script.output.pipe(process.stdout, { end: false });
  process.stdout.on('error', () => process.stdin.destroy());
  await new Promise<void>((resolve) => {
    process.stdin.once('close', resolve);
    process.stdin.once('end', resolve);
    script.output.once('end', resolve);
    process.once('SIGTERM', resolve);
  });
  await script.close();
  return script.exitCode === notFoundStatus ? notFoundStatus : 0;
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    const known = error instanceof UserError ? error : undefined;
    const explanation =
      known?.description ?? message('The sandbox for reading sessions could not be started.');
    writeSync(2, `${inspect(error)}\n`);
    announce({ ready: false, code: known?.code ?? 'sessions.failed', explanation });
    process.exit(1);
  },
);
