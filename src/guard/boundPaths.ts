import { isSameOrInside } from '../sandbox/paths';
import type { Verdict, VisiblePath } from '../sandbox/verdict';

/** A path that is bound read-only over itself. */
export interface BoundPath {
  readonly path: string;
  /** when that was verified last, in milliseconds since the epoch */
  readonly time: number;
}

/**
 * By which bind none of these sandboxes can write to a path of their workspace.
 * @param path absolute
 * @param verdicts the latest of each that runs there; undefined where nothing is known
 * @returns undefined when one of them can, or there is none
 */
export function boundBy(path: string, verdicts: readonly (Verdict | undefined)[]): BoundPath | undefined {
  const binds = verdicts.map((verdict) => {
    const bind = verdict?.visiblePaths.find(
      (each) => isGuard(each) && isSameOrInside(each.containerPath, path),
    );
    return verdict && bind && { path: bind.containerPath, time: verdict.time };
  });
  const found = binds.filter((bind) => bind !== undefined);
  const oldest = Math.min(...found.map(({ time }) => time));
  return found.length < binds.length ? undefined : found.find(({ time }) => time === oldest);
}

/** All paths that none of these sandboxes can write to. */
export function boundPaths(verdicts: readonly (Verdict | undefined)[]): string[] {
  const [first, ...others] = verdicts.map(
    (verdict) => new Set(verdict?.visiblePaths.filter(isGuard).map(({ containerPath }) => containerPath)),
  );
  return [...(first ?? [])].filter((path) => others.every((paths) => paths.has(path)));
}

function isGuard({ mode, hostPath, containerPath }: VisiblePath): boolean {
  return mode === 'readOnly' && hostPath === containerPath;
}
