import { commandIds } from '../contributions';
import { message } from '../sandbox/message';
import { compareVersions } from '../apptainer/version';
import { installCommands } from './distribution';
import type { FoundProgram, SetupFacts } from './facts';
import { unpackedObstacle } from './kernelLines';
import { actionFix, blocking, commandsFix, type Fix, ok, type SetupLine, unknown, warning } from './line';
import { directiveIs, type SiteConfiguration } from './siteConfiguration';

/** From here on Ctrl+C in a shell can't end the mount of the image (changelog of Apptainer 1.4.5). */
const recommended = { major: 1, minor: 4, patch: 5 } as const;

/** Whether Apptainer is there, how it is installed, and what its administrator made of it. */
export function apptainerLines(facts: SetupFacts): SetupLine[] {
  const { apptainer } = facts;
  if (apptainer.kind === 'unusable') {
    return [blocking('apptainer', apptainer.error.description, ...apptainerFixes(facts))];
  }
  const { configuration } = apptainer;
  return [
    versionLine(apptainer),
    modeLine(apptainer),
    configurationLine(configuration),
    // what can't be read has a line already
    ...(configuration ? [siteBindsLine(configuration)] : []),
  ];
}

const unpack: Fix = { kind: 'action', action: { kind: 'runCommand', command: commandIds.unpackApptainer } };

function apptainerFixes(facts: SetupFacts): Fix[] {
  const { apptainer, candidates, distribution } = facts;
  const chosen = candidates.map((path) => ({ kind: 'useProgram', path }) as const);
  const canWork = facts.hasApt && unpackedObstacle(facts) === undefined;
  return [
    ...chosen,
    ...(chosen.length === 0 ? commandsFix(...installCommands(distribution)) : []),
    ...(chosen.length === 0 && canWork ? [unpack] : []),
    ...actionFix(apptainer.kind === 'unusable' ? apptainer.error.action : undefined),
  ];
}

function versionLine({ path, version }: FoundProgram): SetupLine {
  return compareVersions(version, recommended) < 0
    ? warning(
        'apptainer',
        message(
          'Version {0} at {1}. It works; from 1.4.5 on, Ctrl+C can’t disturb the mount of the image.',
          version.text,
          path,
        ),
      )
    : ok('apptainer', message('Version {0} at {1}.', version.text, path));
}

function modeLine({ isSetuid }: FoundProgram): SetupLine {
  return ok(
    'mode',
    isSetuid
      ? message('Installed with setuid. Sandboxes don’t use that: they get a user namespace of their own.')
      : message('Installed without setuid: containers have a user namespace of their own.'),
  );
}

/** What `apptainer.conf` can take away so that no sandbox would pass its verification. */
const required = [
  ['allow user ns', 'no'],
  ['allow pid ns', 'no'],
  ['allow ipc ns', 'no'],
  ['allow uts ns', 'no'],
  ['user bind control', 'no'],
  ['mount proc', 'no'],
  ['allow container sif', 'no'],
] as const;

/** What can bind libraries and devices of the host into every container. */
const doubtful = [
  ['always use nv', 'yes'],
  ['always use rocm', 'yes'],
  ['mount hostfs', 'yes'],
] as const;

/** MB, as Apptainer 1.2 and later have it by default; home and temporary files of a container share it. */
const usualSessionSize = 64;

function configurationLine(configuration: SiteConfiguration | undefined): SetupLine {
  if (configuration === undefined) {
    return unknown(
      'configuration',
      message('You may not read apptainer.conf, so only the start of a container tells.'),
    );
  }
  const is = ([name, value]: readonly [string, string]): boolean => directiveIs(configuration, name, value);
  const say = (entries: readonly (readonly [string, string])[]): string =>
    entries.map(([name, value]) => `${name} = ${value}`).join(', ');
  const missing = required.filter(is);
  if (missing.length > 0) {
    return blocking(
      'configuration',
      message(
        'apptainer.conf forbids what every sandbox needs: {0}. Only an administrator can change that.',
        say(missing),
      ),
    );
  }
  const added = doubtful.filter(is);
  if (added.length > 0) {
    return warning(
      'configuration',
      message(
        'apptainer.conf adds parts of this computer to every container: {0}. A sandbox that shows them is refused.',
        say(added),
      ),
    );
  }
  const size = Number(configuration.get('sessiondir max size')?.at(-1) ?? usualSessionSize);
  return size < usualSessionSize
    ? warning(
        'configuration',
        message(
          'apptainer.conf gives containers {0} MB for temporary files (sessiondir max size; {1} are usual). The agent can run out of them.',
          size,
          usualSessionSize,
        ),
      )
    : ok('configuration', message('apptainer.conf takes nothing away that a sandbox needs.'));
}

/** What Apptainer 1.2 to 1.5 bind as they are installed. */
const usualBinds: readonly string[] = ['/etc/localtime', '/etc/hosts'];

/**
 * What the site binds into containers beyond what is usual. Nothing of it is in a sandbox, which is started with
 * `--containall --no-mount bind-paths`, nor does a build see it (measured with 1.4.5).
 */
function siteBindsLine(configuration: SiteConfiguration): SetupLine {
  const added = (configuration.get('bind path') ?? []).filter((path) => !usualBinds.includes(path));
  return added.length === 0
    ? ok('siteBinds', message('apptainer.conf binds nothing into containers but what is usual.'))
    : ok(
        'siteBinds',
        message(
          'apptainer.conf binds {0} into containers (bind path). Sandboxes are started without that, and one that shows any of it all the same is refused. What the agent needs of it has to be in its folder, or in the image.',
          [...new Set(added)].join(', '),
        ),
      );
}
