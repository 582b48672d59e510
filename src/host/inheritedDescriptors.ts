import { closeSync, readdirSync } from 'node:fs';
import { readProc } from './procfs';

/** O_CLOEXEC as /proc/PID/fdinfo prints it (proc_pid_fdinfo(5)), the same on x86-64 and arm64. */
const closeOnExec = 0o2000000;

/**
 * Closes the descriptors that whoever started this process left open. Node passes on what lies above a gap in the
 * numbers, and node-pty would hand it to the container (measured). Node's own are marked close-on-exec and stay.
 */
export function closeInheritedDescriptors(): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const flags = /^flags:\s*(\d+)$/m.exec(readProc(`self/fdinfo/${name}`) ?? '')?.[1];
    if (Number(name) > 2 && flags !== undefined && (parseInt(flags, 8) & closeOnExec) === 0) {
      closeSync(Number(name));
    }
  }
}
