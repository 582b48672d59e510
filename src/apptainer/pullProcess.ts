import { runInPty } from '../host/runInPty';
import { type ProcessOutcome, type ProcessRequest, requireSuccess, runProcess } from '../host/runProcess';
import { pullEnvironment } from '../sandbox/hostEnvironment';
import { explainPullFailure } from './pullErrors';
import { isOnThisComputer } from './pullNetwork';
import { PullOutput } from './pullOutput';
import type { PullRequest } from './pullRequest';

const maximumOutputBytes = 65536;
const tickMilliseconds = 1000;

/**
 * Runs `apptainer pull`: on a terminal where there is a module for one, because it tells numbers only there.
 * @param request its source is checked
 * @param partial the file to make
 * @returns what it printed, at least the end of it
 * @throws Cancelled, UserError `pull.…`
 */
export async function runPull(
  request: PullRequest,
  partial: string,
  temporaryFolder: string,
): Promise<string> {
  const { apptainer: file, source, signal, ptyModules, onProgress, onLine } = request;
  const output = new PullOutput(
    (progress) => onProgress?.(progress),
    (line) => onLine?.(line),
  );
  const env = { ...pullEnvironment(file, request.environment), APPTAINER_TMPDIR: temporaryFolder };
  const program = { file, args: pullArguments(source, partial), env, signal };
  const { outcome, text } = await runWithOutput(program, ptyModules, output);
  try {
    requireSuccess(file, outcome);
  } catch (error) {
    throw explainPullFailure(text, source, request.target, error);
  }
  return text;
}

/**
 * Runs Apptainer while it makes an image, on a terminal where there is a module for one.
 * @throws Cancelled, ProcessError when it could not be started
 */
export async function runWithOutput(
  program: Program,
  ptyModules: readonly string[] | undefined,
  output: PullOutput,
): Promise<Ended> {
  const ticking = setInterval(() => output.tick(), tickMilliseconds);
  try {
    return ptyModules === undefined
      ? await runOnPipes(program, output)
      : await runOnTerminal(program, ptyModules, output);
  } finally {
    clearInterval(ticking);
  }
}

type Program = Pick<ProcessRequest, 'file' | 'args' | 'env' | 'signal'>;
type Ended = { readonly outcome: ProcessOutcome; readonly text: string };

async function runOnPipes(program: Program, output: PullOutput): Promise<Ended> {
  const onStderrLine = (line: string): void => output.push(`${line}\n`);
  const outcome = await runProcess({ ...program, cwd: '/', maximumOutputBytes, onStderrLine });
  return { outcome, text: outcome.stderr };
}

async function runOnTerminal(
  program: Program,
  ptyModules: readonly string[],
  output: PullOutput,
): Promise<Ended> {
  const onText = (text: string): void => output.push(text);
  const env = { ...program.env, TERM: 'xterm' };
  const ended = await runInPty({ ...program, env, ptyModules, keptCharacters: maximumOutputBytes, onText });
  output.push('\n');
  const outcome = {
    exitCode: ended.exitCode,
    signal: null,
    stdout: '',
    stdoutTruncated: false,
    stderr: ended.output,
  };
  return { outcome, text: ended.output };
}

/** What the registries call what `process.arch` says. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

function pullArguments(source: string, target: string): string[] {
  return ['pull', ...pullFlags(source), target, source];
}

/** How Apptainer is asked for an image from a source; its cache knows images by that, too. */
export function pullFlags(source: string): string[] {
  const architecture = architectures[process.arch];
  return [
    ...(architecture === undefined ? [] : ['--arch', architecture]),
    ...(source.startsWith('docker://') && isOnThisComputer(source) ? ['--no-https'] : []),
  ];
}
