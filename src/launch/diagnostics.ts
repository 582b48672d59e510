import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname, release, userInfo } from 'node:os';
import { strToU8, zipSync } from 'fflate';
import { findApptainer } from '../apptainer/find';
import { isSifFile } from '../apptainer/sif';
import { allows } from '../host/folderFacts';
import { readProc } from '../host/procfs';
import { readRunRecords, type RunRecord } from '../host/runRecords';
import type { Environment } from '../sandbox/hostEnvironment';
import { redact, type PrivateNames } from '../sandbox/redaction';
import { UserError } from '../sandbox/userError';
import type { SandboxStatus, SandboxSummary } from '../supervisor/protocol';
import { recordsFolder } from './storageFolders';

/** What only the editor knows. Every text in it is one of ours, or is redacted. */
export interface DiagnosticsRequest {
  /** name → version or the like, of the extension and the editor */
  readonly versions: Readonly<Record<string, string>>;
  /** as they were found; only what is on the allow-list is told */
  readonly settings: Readonly<Record<string, unknown>>;
  /** what of the window decides what can be done in it */
  readonly window: Readonly<Record<string, unknown>>;
  /** the paths of the window's folders */
  readonly folders: readonly string[];
  readonly sandboxes: readonly { readonly summary: SandboxSummary; readonly status: SandboxStatus }[];
  /** the last lines of the extension's log */
  readonly log: string;
  readonly storageDirectory: string;
  readonly environment: Environment;
}

/** UTF-16 units */
const keptLogCharacters = 200_000;
const keptRecords = 50;

/**
 * Collects what helps to find out why something does not work, as a zip: no path or name of the user's, no prompt,
 * no output of an agent, no key. Each part is collected by itself, so that one that fails takes no other with it.
 * @returns the bytes of the archive
 */
export async function collectDiagnostics(request: DiagnosticsRequest): Promise<Uint8Array> {
  const facts = {
    collectedAt: new Date().toISOString(),
    versions: request.versions,
    host: await attempt(hostFacts),
    setup: await attempt(() => setupFacts(request)),
    window: request.window,
    settings: toldSettings(request.settings),
    sandboxes: request.sandboxes.map(toldSandbox),
    runs: await attempt(async () =>
      (await readRunRecords(recordsFolder(request.storageDirectory))).map(toldRun),
    ),
  };
  return zipSync({
    'facts.json': strToU8(`${JSON.stringify(facts, null, 2)}\n`),
    'log.txt': strToU8(redactedLog(request)),
  });
}

async function attempt<Result>(
  collect: () => Result | Promise<Result>,
): Promise<Result | { failed: string }> {
  try {
    return await collect();
  } catch (error) {
    return { failed: error instanceof Error ? error.name : 'unknown' };
  }
}

/** Of a text that could say anything, only whether it is set, unless it is one of those that are known. */
function toldSettings(settings: DiagnosticsRequest['settings']): Record<string, string | number> {
  const told = (name: string, known: readonly string[]): string => {
    const value = settings[name];
    if (typeof value === 'string' && known.includes(value)) {
      return value;
    }
    return value === undefined || value === '' ? 'not set' : 'set';
  };
  const number = (name: string): string | number => {
    const value = settings[name];
    return typeof value === 'number' ? value : 'not a number';
  };
  return {
    apptainerPath: told('apptainerPath', []),
    apptainerCacheFolder: told('apptainerCacheFolder', []),
    apptainerTemporaryFolder: told('apptainerTemporaryFolder', []),
    image: told('image', []),
    imageSource: told('imageSource', ['docker://ghcr.io/anomalyco/opencode']),
    agentHome: told('agentHome', ['workspace', 'none']),
    network: told('network', ['restricted', 'open', 'none']),
    clipboard: told('clipboard', ['off', 'write']),
    detachedTimeoutMinutes: number('detachedTimeoutMinutes'),
    temporaryFilesLimit: number('temporaryFilesLimit'),
  };
}

/** What decides whether a container can be made here; all from files that every user may read. */
async function hostFacts(): Promise<Record<string, unknown>> {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}="?([\\w.-]{1,40})"?$`, 'm').exec(system)?.[1];
  const limit = (path: string): string | undefined => /^\d{1,20}$/.exec(readProc(path)?.trim() ?? '')?.[0];
  return {
    system: field('ID'),
    systemVersion: field('VERSION_ID'),
    kernel: /^[\w.+-]{1,60}$/.exec(release())?.[0],
    processor: process.arch,
    node: process.version,
    isRoot: process.getuid?.() === 0,
    userNamespaces: limit('sys/user/max_user_namespaces'),
    unprivilegedUserNamespaces: limit('sys/kernel/unprivileged_userns_clone'),
    restrictedByAppArmor: limit('sys/kernel/apparmor_restrict_unprivileged_userns'),
    mayOpenFuse: await allows('/dev/fuse', constants.R_OK | constants.W_OK),
  };
}

async function setupFacts({
  settings,
  folders,
  environment,
}: DiagnosticsRequest): Promise<Record<string, unknown>> {
  const text = (name: string): string => {
    const value = settings[name];
    return typeof value === 'string' ? value : '';
  };
  const apptainer = await findApptainer({
    configuredPath: text('apptainerPath'),
    forbiddenFolders: folders,
    environment,
  }).then(
    // how it was built may be named after somebody
    ({ version: { program, major, minor, patch } }) => ({ program, version: `${major}.${minor}.${patch}` }),
    (error: unknown) => ({ problem: error instanceof UserError ? error.code : 'unknown' }),
  );
  const image = text('image');
  return {
    apptainer,
    image: {
      isReadable: await allows(image, constants.R_OK),
      isSif: await isSifFile(image).catch(() => false),
    },
  };
}

function toldSandbox({ summary, status }: DiagnosticsRequest['sandboxes'][number]): Record<string, unknown> {
  const { kind, network, startedAt } = summary;
  const { phase, verdict, end, models = [] } = status;
  return {
    kind,
    network,
    startedAt,
    phase,
    verdict: verdict && {
      state: verdict.state,
      time: verdict.time,
      lines: verdict.lines.map((line) => ({ fact: line.fact, status: line.status })),
    },
    end: end && { reason: end.reason, exitCode: end.exitCode },
    // a provider's id can name an institution
    models: models.map(({ state, status: answer, time }) => ({ state, status: answer, time })),
  };
}

function toldRun(record: RunRecord, index: number): Record<string, unknown> | undefined {
  const { kind, network, extensionVersion, startedAt, verdicts, end } = record;
  return index < keptRecords ? { kind, network, extensionVersion, startedAt, verdicts, end } : undefined;
}

function redactedLog({ log, folders, environment }: DiagnosticsRequest): string {
  const names: PrivateNames = {
    home: environment['HOME'] ?? '',
    user: userName(environment),
    host: hostname(),
    folders,
  };
  const isWhole = log.length <= keptLogCharacters;
  const end = log.slice(-keptLogCharacters);
  // the first line may be cut, and half a word can look harmless
  return redact(isWhole ? log : end.slice(end.indexOf('\n') + 1), names);
}

function userName(environment: Environment): string {
  try {
    return userInfo().username;
  } catch {
    // some cluster nodes do not know their users by name
    return environment['USER'] ?? '';
  }
}
