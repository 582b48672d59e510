import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RunDirectory, runDirectoryAt, runDirectoryPrefix } from '../../src/sandbox/runDirectory';
import { requireVariable } from './environment';

/** The run directories of sandboxes in the folder that the runner made for them. */
export function runDirectories(parent = requireVariable('XDG_RUNTIME_DIR')): RunDirectory[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(runDirectoryPrefix))
    .map((name) => runDirectoryAt(join(parent, name)));
}
