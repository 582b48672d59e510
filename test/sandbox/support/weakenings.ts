import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { LaunchPlan } from '../../../src/sandbox/launchPlan';
import type { FactName } from '../../../src/sandbox/verdict';
import { apptainer, shellImage } from '../../support/environment';
import type { TestFolders } from './sandboxUnderTest';

/** Takes `count` arguments away, from `first` on. */
function without(plan: LaunchPlan, first: string, count: number): LaunchPlan {
  const at = plan.arguments.indexOf(first);
  assert.notEqual(at, -1, `${first} is not in the plan`);
  return { ...plan, arguments: plan.arguments.toSpliced(at, count) };
}

/** Puts arguments before the first `--mount`. */
function adding(plan: LaunchPlan, ...extra: string[]): LaunchPlan {
  return { ...plan, arguments: plan.arguments.toSpliced(plan.arguments.indexOf('--mount'), 0, ...extra) };
}

/** One way to take isolation away from a real container, and the fact that must be seen to break. */
export interface Weakening {
  readonly fact: FactName;
  readonly how: string;
  readonly change: (plan: LaunchPlan, folders: TestFolders) => LaunchPlan;
}

/** A copy of the site's configuration of Apptainer with one line changed; unprivileged users may name one. */
export function siteConfiguration(folders: TestFolders, setting: string, value: string): string {
  const places = [
    resolve(dirname(apptainer()), '../etc/apptainer/apptainer.conf'),
    '/etc/apptainer/apptainer.conf',
  ];
  const original = places.find((place) => existsSync(place));
  assert.ok(original, 'apptainer.conf was not found');
  const text = readFileSync(original, 'utf8');
  assert.match(text, new RegExp(`^${setting} = `, 'm'));
  const path = join(folders.root, 'apptainer.conf');
  writeFileSync(path, text.replace(new RegExp(`^${setting} = .*$`, 'm'), `${setting} = ${value}`));
  return path;
}

/** Something that looks like a container from afar: a program called appinit with a child, and nothing else. */
function pretendContainer(plan: LaunchPlan, folders: TestFolders): LaunchPlan {
  const init = join(folders.root, 'appinit');
  copyFileSync('/bin/sh', init);
  chmodSync(init, 0o755);
  const gate = plan.arguments[plan.arguments.indexOf('gate') + 1];
  const run = plan.arguments.find((argument) => argument.startsWith('seccomp:'))?.slice('seccomp:'.length);
  assert.ok(gate && run);
  const hostGate = join(dirname(dirname(run)), 'inside', 'gate');
  const mark = plan.arguments.at(-1) ?? '';
  const child = 'read -r word <"$1"; [ "$word" = run ] && touch "$2"';
  return {
    ...plan,
    file: '/bin/sh',
    arguments: [
      '-c',
      '"$1" -c "/bin/sh -c \'$4\' child $2 $3; true"; true',
      'sh',
      init,
      hostGate,
      mark,
      child,
    ],
  };
}

/** A real container that lacks it for each fact that is attested. */
export const weakenings: readonly Weakening[] = [
  {
    fact: 'processNamespace',
    how: 'the site’s configuration forbids pid namespaces, which Apptainer only warns about',
    change: (plan, folders) => ({
      ...plan,
      arguments: ['--config', siteConfiguration(folders, 'allow pid ns', 'no'), ...plan.arguments],
    }),
  },
  {
    fact: 'ipcNamespace',
    how: 'the site’s configuration forbids ipc namespaces',
    change: (plan, folders) => ({
      ...plan,
      arguments: ['--config', siteConfiguration(folders, 'allow ipc ns', 'no'), ...plan.arguments],
    }),
  },
  { fact: 'hostnameNamespace', how: 'without --hostname', change: (plan) => without(plan, '--hostname', 2) },
  { fact: 'network', how: 'without --net --network none', change: (plan) => without(plan, '--net', 3) },
  {
    fact: 'capabilities',
    how: 'with --add-caps CAP_SYS_ADMIN',
    change: (plan) => adding(without(plan, '--drop-caps', 2), '--add-caps', 'CAP_SYS_ADMIN'),
  },
  {
    fact: 'capabilities',
    how: 'with --fakeroot',
    change: (plan) =>
      adding(without(plan, '--drop-caps', 2), '--fakeroot', '--ignore-subuid', '--ignore-fakeroot-command'),
  },
  { fact: 'seccomp', how: 'without a profile', change: (plan) => without(plan, '--security', 2) },
  {
    fact: 'hostPaths',
    how: 'with the folder above the workspace bound',
    change: (plan, folders) => adding(plan, '--mount', `type=bind,source=${folders.root},destination=/mnt`),
  },
  {
    fact: 'hostPaths',
    how: 'with inside/ writable',
    change: (plan) => ({
      ...plan,
      arguments: plan.arguments.map((argument) =>
        argument.includes('destination=/run/sandboxed-agent') ? argument.replace(/,ro$/, '') : argument,
      ),
    }),
  },
  {
    fact: 'hostPaths',
    how: 'with another folder in the workspace’s place',
    change: (plan, folders) => {
      const other = join(folders.root, 'other');
      mkdirSync(other);
      return {
        ...plan,
        arguments: plan.arguments.map((argument) =>
          argument.replace(`source=${folders.workspace},`, `source=${other},`),
        ),
      };
    },
  },
  {
    fact: 'hostPaths',
    how: 'without the home',
    change: (plan) => {
      const at = plan.arguments.findIndex((argument) => argument.endsWith('destination=/home/agent'));
      return { ...plan, arguments: plan.arguments.toSpliced(at - 1, 2) };
    },
  },
  {
    fact: 'kernelInterfaces',
    how: 'with the host’s /sys',
    change: (plan) => ({
      ...plan,
      arguments: plan.arguments.map((argument) => argument.replace('sys,bind-paths', 'bind-paths')),
    }),
  },
  {
    fact: 'kernelInterfaces',
    how: 'with the host’s /proc bound',
    change: (plan) => adding(plan, '--mount', 'type=bind,source=/proc,destination=/mnt'),
  },
  {
    fact: 'rootFileSystem',
    how: 'with --writable-tmpfs',
    change: (plan) => adding(plan, '--writable-tmpfs'),
  },
  {
    fact: 'rootFileSystem',
    how: 'with a folder of the host as overlay',
    change: (plan, folders) => {
      const overlay = join(folders.root, 'overlay');
      mkdirSync(overlay);
      return adding(plan, '--overlay', overlay);
    },
  },
  {
    fact: 'image',
    how: 'with a copy of the image',
    change: (plan, folders) => {
      const copy = join(folders.root, 'copy.sif');
      copyFileSync(shellImage(), copy);
      return {
        ...plan,
        arguments: plan.arguments.map((argument) => (argument.endsWith('.sif') ? copy : argument)),
      };
    },
  },
  {
    fact: 'descriptors',
    how: 'with a descriptor of a host file inherited',
    change: (plan, folders) => {
      const secret = join(folders.root, 'secret.txt');
      writeFileSync(secret, 'secret');
      return {
        ...plan,
        file: '/bin/sh',
        arguments: [
          '-c',
          'secret=$1; shift; exec 9<"$secret"; exec "$@"',
          'sh',
          secret,
          plan.file,
          ...plan.arguments,
        ],
      };
    },
  },
  {
    fact: 'descriptors',
    how: 'with a pipe to a host process inherited',
    change: (plan) => ({
      ...plan,
      file: '/bin/bash',
      arguments: ['-c', 'exec 9< <(sleep 20); exec "$@"', 'bash', plan.file, ...plan.arguments],
    }),
  },
  {
    fact: 'environment',
    how: 'with a proxy that has a password',
    change: (plan) => ({
      ...plan,
      environment: { ...plan.environment, http_proxy: 'http://user:password@127.0.0.1:9/' },
    }),
  },
  ...(['mountNamespace', 'userNamespace', 'noNewPrivileges'] as const).map((fact) => ({
    fact,
    how: 'when no container was made at all',
    change: pretendContainer,
  })),
];
