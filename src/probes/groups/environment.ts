import { dirname } from 'node:path';
import { message } from '../../sandbox/message';
import { processes, read, readAll, type Attack } from '../inside/attack';
import { keepsSecret, keepsVariable, needsSecret } from '../judges';
import type { Inapplicable, Probe } from '../probe';
import type { SecretName } from '../seen';

const group = 'environment';

/** Without Apptainer these variables are like any other. */
const withoutApptainer: Inapplicable = ({ target }) =>
  ['ours', 'plain'].includes(target) ? undefined : message('Apptainer is no part of this sandbox.');

/** What Apptainer makes of a variable of the user's. */
function apptainers(probe: Probe): Probe {
  return {
    ...probe,
    inapplicable: (seen) => withoutApptainer(seen) ?? probe.inapplicable?.(seen),
  };
}

function variables(): string {
  return Object.entries(process.env)
    .map(([name, value]) => `${name}=${value ?? ''}`)
    .join('\n');
}

function variable(name: string, title: Probe['title'], secret: SecretName): Probe {
  return {
    ...{ id: `environment.${name}`, group, title, attack: variables },
    inapplicable: needsSecret(secret, message('This sandbox would take it for its own.')),
    judge: keepsVariable(secret),
  };
}

/** Wherever a key could lie that the sandbox was given. */
function searchKey({ plan }: Attack): string {
  const places = [
    ...['/run/sandboxed-agent/opencode/opencode.json', '/etc/opencode/opencode.json'],
    ...[`${plan.workspace}/opencode.json`, `${process.env['HOME'] ?? ''}/.local/share/opencode/auth.json`],
    ...processes().flatMap((pid) => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`]),
  ];
  return `${variables()}\n${readAll(places)}`;
}

export const environmentProbes: readonly Probe[] = [
  variable('plain', message('Find a variable of the user’s environment'), 'variable'),
  apptainers(
    variable(
      'apptainer',
      message('Find a variable that was handed to Apptainer (APPTAINERENV_…)'),
      'apptainerVariable',
    ),
  ),
  apptainers(
    variable(
      'singularity',
      message('Find a variable by its older name (SINGULARITYENV_…)'),
      'singularityVariable',
    ),
  ),
  apptainers(
    variable('file', message('Find a variable of the file that APPTAINER_ENV_FILE names'), 'environmentFile'),
  ),
  variable('proxy', message('Find the password in http_proxy'), 'proxyPassword'),
  variable('apiToken', message('Find a key in OPENAI_API_KEY'), 'apiToken'),
  apptainers({
    ...{ id: 'environment.bind', group, title: message('Find a folder that APPTAINER_BIND adds') },
    places: ({ sibling }) => [`${dirname(sibling)}/bound/secret.txt`],
    attack: () => read('/mnt/secret.txt'),
    judge: keepsSecret('bound'),
  }),
  apptainers({
    ...{ id: 'environment.mount', group, title: message('Find a folder that SINGULARITY_BINDPATH adds') },
    places: ({ sibling }) => [`${dirname(sibling)}/mounted/secret.txt`],
    attack: () => read('/srv/secret.txt'),
    judge: keepsSecret('mounted'),
  }),
  {
    ...{
      id: 'environment.init',
      group,
      title: message('Read the environment of the sandbox’s first processes'),
    },
    attack: () => readAll(processes().map((pid) => `/proc/${pid}/environ`)),
    judge: keepsVariable('variable', 'apptainerVariable', 'apiToken', 'proxyPassword', 'processEnvironment'),
  },
  {
    ...{ id: 'environment.modelKey', group, title: message('Find the key of the model') },
    inapplicable: needsSecret('modelKey', message('No model’s key is used here.')),
    attack: searchKey,
    judge: keepsVariable('modelKey'),
  },
];
