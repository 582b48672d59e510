import { readProc } from './procfs';

/** What POSIX promises at least, and what some login nodes still have. */
const usualLimit = 1024;

/** How many files this process may have open at once: RLIMIT_NOFILE, the soft limit (getrlimit(2)). */
export function openFileLimit(): number {
  const found = /^Max open files\s+(\d+)/m.exec(readProc('self/limits') ?? '')?.[1];
  return found === undefined ? usualLimit : Number(found);
}
