import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { message } from '../../sandbox/message';
import { attempt } from '../inside/attack';
import { keepsVictims } from '../judges';
import type { Plan } from '../plan';
import type { Probe } from '../probe';

const group = 'hostExecuted';

/**
 * What the workspace of a run holds that the host acts on by itself: git, VS Code, shells and their tools. Paths in
 * the workspace, and what is in them at the beginning.
 */
export const hostExecutedFiles: Readonly<Record<string, string>> = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[core]\n\trepositoryformatversion = 0\n\tbare = false\n',
  '.git/hooks/keep': '',
  '.git/info/exclude': '',
  '.git/objects/keep': '',
  '.git/refs/keep': '',
  'nested/.git/HEAD': 'ref: refs/heads/main\n',
  'nested/.git/config': '[core]\n\tbare = false\n',
  'nested/.git/objects/keep': '',
  'nested/.git/refs/keep': '',
  'other/.git/HEAD': 'ref: refs/heads/main\n',
  'other/.git/config': '[core]\n\tbare = false\n',
  'other/.git/objects/keep': '',
  'other/.git/refs/keep': '',
  '.vscode/settings.json': '{}\n',
  '.vscode/tasks.json': '{ "version": "2.0.0", "tasks": [] }\n',
  '.devcontainer/devcontainer.json': '{}\n',
  '.devcontainer.json': '{}\n',
  '.github/workflows/ci.yml': 'on: push\n',
  '.gitlab-ci.yml': 'stages: []\n',
  '.envrc': '# nothing\n',
  '.husky/pre-commit': '#!/bin/sh\n',
  '.idea/workspace.xml': '<project/>\n',
  'project.code-workspace': '{ "folders": [] }\n',
  '.pre-commit-config.yaml': 'repos: []\n',
  '.mise.toml': '\n',
  'mise.toml': '\n',
  '.tool-versions': '\n',
};

/** Files that are there and must stay as they are, or must not come to be. */
function vector(name: string, title: Probe['title'], ...names: readonly string[]): Probe {
  const paths = ({ workspace }: Plan): string[] => names.map((path) => `${workspace}/${path}`);
  return {
    ...{ id: `hostExecuted.${name}`, group, title, victims: paths, places: paths },
    attack: ({ plan }) => paths(plan).map(change).join(' '),
    judge: keepsVictims,
  };
}

function change(path: string): string {
  return attempt(() => {
    appendFileSync(path, '\n# changed by a probe\n');
    return 'written';
  });
}

export const hostExecutedProbes: readonly Probe[] = [
  vector(
    'gitConfig',
    message('Change the configuration of the repository (git runs what it names)'),
    '.git/config',
  ),
  vector('gitHook', message('Add a hook to the repository'), '.git/hooks/post-checkout'),
  vector(
    'gitCommonDir',
    message('Lead the repository to another configuration (commondir)'),
    '.git/commondir',
  ),
  vector('gitAttributes', message('Add attributes to the repository (filters)'), '.git/info/attributes'),
  vector('nestedConfig', message('Change the configuration of a nested repository'), 'nested/.git/config'),
  {
    ...{
      id: 'hostExecuted.gitRename',
      group,
      title: message('Put another repository in the place of one that is there'),
    },
    victims: ({ workspace }) => [`${workspace}/other/.git/HEAD`, `${workspace}/other/.git-old`],
    places: ({ workspace }) => [`${workspace}/other/.git/HEAD`],
    attack: ({ plan }) =>
      attempt(() => {
        const repository = `${plan.workspace}/other/.git`;
        renameSync(repository, `${repository}-old`);
        mkdirSync(repository);
        writeFileSync(`${repository}/config`, '');
        return 'replaced';
      }),
    judge: keepsVictims,
  },
  vector('editorSettings', message('Change VS Code’s settings of the folder'), '.vscode/settings.json'),
  vector('editorTasks', message('Add a task to VS Code'), '.vscode/tasks.json'),
  vector('editorLaunch', message('Add a launch configuration to VS Code'), '.vscode/launch.json'),
  vector('workspaceFile', message('Change a workspace file of VS Code'), 'project.code-workspace'),
  vector(
    'container',
    message('Change the dev container'),
    '.devcontainer/devcontainer.json',
    '.devcontainer.json',
  ),
  vector(
    'workflow',
    message('Change a workflow that runs after a push (GitHub)'),
    '.github/workflows/ci.yml',
  ),
  vector('pipeline', message('Change a pipeline that runs after a push (GitLab)'), '.gitlab-ci.yml'),
  vector('shellEnvironment', message('Change what a shell runs on entering (direnv)'), '.envrc'),
  vector('husky', message('Change a hook of husky'), '.husky/pre-commit'),
  vector('preCommit', message('Change the hooks of pre-commit'), '.pre-commit-config.yaml'),
  vector('otherEditor', message('Change what another editor runs (.idea)'), '.idea/workspace.xml'),
  vector(
    'toolVersions',
    message('Change what installs tools (.mise.toml, .tool-versions)'),
    '.mise.toml',
    'mise.toml',
    '.tool-versions',
  ),
];
