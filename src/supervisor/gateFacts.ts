import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { identifyTarget } from '../host/fileIdentity';
import { listProc, readProc, readProcLink } from '../host/procfs';
import type { ForeignDescriptor } from '../sandbox/facts';
import type { FileIdentity } from '../sandbox/specification';
import { gateProcess, type ContainerProcesses } from './containerProcesses';

/** What the process at the gate brought along, read before anything of the agent's runs. */
export interface GateFacts {
  /** names of its environment variables; undefined when they could not be read */
  readonly environmentNames: readonly string[] | undefined;
  /** names of the variables that the image itself sets */
  readonly imageVariables: readonly string[];
  /** Apptainer's own program, which the container can reach; undefined when it could not be identified */
  readonly launcher: FileIdentity | undefined;
  /** pipes and sockets, which only a process outside can have given it; undefined when they could not be read */
  readonly streams: readonly ForeignDescriptor[] | undefined;
}

/** Reads what the process at the gate inherited. */
export function readGateFacts(container: ContainerProcesses): GateFacts {
  const pid = gateProcess(container);
  const names = listProc(`${pid}/fd`);
  const descriptors = names?.map((name) => ({
    pid,
    descriptor: Number(name),
    target: readProcLink(`${pid}/fd/${name}`) ?? '',
  }));
  return {
    environmentNames: readProc(`${pid}/environ`)
      ?.split('\0')
      .filter(Boolean)
      .map((entry) => entry.split('=', 1)[0] ?? ''),
    imageVariables: imageVariables(container.init),
    launcher: identifyTarget(`/proc/${container.init}/exe`),
    streams: descriptors?.filter(({ target }) => /^(pipe|socket):/.test(target)),
  };
}

/** An image has a handful of scripts of a few lines (Apptainer's SIF layout, `/.singularity.d/env`). */
const largestScript = 65_536;
const mostScripts = 50;

/**
 * The names that the image's environment scripts assign. The scripts are read through the container's root; whatever
 * a link in a strange image makes of them, only names that stand before a `=` come out.
 */
function imageVariables(init: number): string[] {
  const folder = `/proc/${init}/root/.singularity.d/env`;
  const scripts = list(folder).slice(0, mostScripts);
  return scripts.flatMap((name) => assignedNames(readStart(`${folder}/${name}`)));
}

/** The names that lines of a shell script assign, as they stand. */
export function assignedNames(script: string): string[] {
  // spaces of one line only, or each of a thousand empty lines is looked at from all before it
  const assignments = script.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=/gm);
  return [...assignments].map(([, variable = '']) => variable);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readStart(path: string): string {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const buffer = new Uint8Array(largestScript);
      const length = fstatSync(descriptor).isFile() ? readSync(descriptor, buffer) : 0;
      return new TextDecoder().decode(buffer.subarray(0, length));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}
