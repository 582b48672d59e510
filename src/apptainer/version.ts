/** What `apptainer --version` says of itself. */
export interface ProgramVersion {
  /** `apptainer`, or one of the Singularity projects that share its command line */
  readonly program: 'apptainer' | 'singularity' | 'singularity-ce';
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** as printed, such as `1.4.5-1.el9` */
  readonly text: string;
}

/**
 * The oldest Apptainer that is used. From 1.2 on `--no-mount bind-paths` exists (without it the site's own binds get
 * into every sandbox); `--no-eval` came with 1.1, and `--network` was silently ignored before 1.1.4
 * (https://github.com/apptainer/apptainer/blob/main/CHANGELOG.md).
 */
export const oldestVersion = { major: 1, minor: 2, patch: 0 } as const;

const versionLine =
  /^(apptainer|singularity-ce|singularity) version v?(?<text>(?<major>\d{1,6})\.(?<minor>\d{1,6})(?:\.(?<patch>\d{1,6}))?[\w.+~-]{0,64})$/m;

/** Reads the output of `apptainer --version`; undefined when it is no such output. */
export function parseVersion(output: string): ProgramVersion | undefined {
  const match = versionLine.exec(output.slice(0, 4096));
  if (match === null) return undefined;
  const { text = '', major, minor, patch } = match.groups ?? {};
  return {
    program: match[1] as ProgramVersion['program'],
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch ?? 0),
    text,
  };
}

type Numbers = Pick<ProgramVersion, 'major' | 'minor' | 'patch'>;

/** Negative when `a` is older than `b`, 0 when they are the same, positive when it is newer. */
export function compareVersions(a: Numbers, b: Numbers): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
