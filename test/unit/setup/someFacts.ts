import { parseVersion } from '../../../src/apptainer/version';
import { UserError } from '../../../src/sandbox/userError';
import { message } from '../../../src/sandbox/message';
import { parseDistribution } from '../../../src/setup/distribution';
import { type FoundProgram, helperNames, type SetupFacts } from '../../../src/setup/facts';
import { parseSiteConfiguration } from '../../../src/setup/siteConfiguration';

export function programOf(version = '1.4.5', configuration = ''): FoundProgram {
  const parsed = parseVersion(`apptainer version ${version}`);
  if (!parsed) throw new Error(version);
  return {
    kind: 'found',
    path: '/usr/bin/apptainer',
    version: parsed,
    isSetuid: false,
    helpers: helperNames,
    configuration: parseSiteConfiguration(configuration),
  };
}

export const noApptainer = {
  kind: 'unusable',
  error: new UserError('apptainer.notFound', message('Apptainer was not found'), {
    kind: 'openSetting',
    setting: 'sandboxedAgent.apptainerPath',
  }),
} as const;

export const noImage = {
  kind: 'unusable',
  error: new UserError('image.notConfigured', message('There is no image'), {
    kind: 'runCommand',
    command: 'sandboxedAgent.pullImage',
  }),
} as const;

export const ubuntu = parseDistribution('ID=ubuntu\nID_LIKE=debian\nPRETTY_NAME="Ubuntu 24.04 LTS"\n');

/** A computer with everything. */
export const goodFacts: SetupFacts = {
  platform: 'linux',
  architecture: 'x64',
  userId: 1000,
  distribution: ubuntu,
  apptainer: programOf(),
  hasApt: true,
  candidates: [],
  userNamespaces: {
    maximum: 15000,
    unprivilegedClone: undefined,
    appArmorRestriction: undefined,
    hasAppArmorProfile: false,
  },
  fuse: 'usable',
  hasSeccomp: true,
  folders: (['images', 'cache', 'temporary', 'agentHome', 'workspace'] as const).map((role) => ({
    role,
    path: `/data/${role}`,
    freeBytes: 50e9,
    fileSystem: 'disk',
    fileSystemName: '',
    isQuotaUsedUp: false,
    forbidsPrograms: false,
  })),
  refusedFolders: [],
  image: { kind: 'ready', path: '/data/opencode.sif' },
  trial: { kind: 'works', milliseconds: 150 },
};
