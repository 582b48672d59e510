import { ProcessError } from '../host/runProcess';
import type { Environment } from '../sandbox/hostEnvironment';
import { findStartFailure, type StartFailure } from '../sandbox/startFailures';
import { type BareRunRequest, runBare } from './bareRun';

/** What a first run of an image came to. */
export type SmokeTest =
  | { readonly kind: 'works'; readonly opencodeVersion: string }
  /** it runs, but has no opencode that says its version */
  | { readonly kind: 'noOpencode' }
  | { readonly kind: 'failed'; readonly failure: StartFailure | undefined; readonly output: string };

export interface SmokeTestRequest {
  readonly apptainer: string;
  readonly image: string;
  readonly environment: Environment;
  /** its opencode, when that is to be run from a copy */
  readonly copy?: BareRunRequest['copy'];
  readonly signal?: AbortSignal | undefined;
}

/** opencode takes a second, and several from a cold disk. */
const timeoutMilliseconds = 60_000;
const versionLine = /^v?(\d{1,6}\.\d{1,6}\.\d{1,6}[\w.+-]{0,40})$/m;
/** what a shell says by its exit code of a program that is not there, or can't be run (POSIX 2.8.2) */
const notThere: readonly (number | null)[] = [126, 127];

/** Asks the opencode of an image for its version, in a container without network and without anything of this computer. */
export async function smokeTest(request: SmokeTestRequest): Promise<SmokeTest> {
  const command = ['/bin/sh', '-c', 'exec opencode --version </dev/null'];
  try {
    const { exitCode, stdout, stderr } = await runBare({ ...request, command, timeoutMilliseconds });
    const [, opencodeVersion] = versionLine.exec(stdout) ?? [];
    if (exitCode === 0 && opencodeVersion !== undefined) return { kind: 'works', opencodeVersion };
    if (exitCode === 0 || notThere.includes(exitCode)) return { kind: 'noOpencode' };
    return { kind: 'failed', failure: findStartFailure(stderr), output: stderr };
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    return { kind: 'failed', failure: undefined, output: String(error) };
  }
}
