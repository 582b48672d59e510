import assert from 'node:assert/strict';
import { formatMessage } from '../../../src/sandbox/message';
import { findStartFailure } from '../../../src/sandbox/startFailures';
import { checkSetup, firstBlocking, isComputerReady } from '../../../src/setup/checkSetup';
import type { FolderRole, FolderSpace, SetupFacts, UserNamespaceFacts } from '../../../src/setup/facts';
import { type LineId, lineIds, type SetupLine } from '../../../src/setup/line';
import { goodFacts, noApptainer, noImage, programOf, ubuntu } from './someFacts';

const notTried = { kind: 'notTried' } as const;
const namespaces = (changes: Partial<UserNamespaceFacts>): Partial<SetupFacts> => ({
  userNamespaces: { ...goodFacts.userNamespaces, ...changes },
});

/** The computer with everything but for this, of which no container was started. */
function linesWith(changes: Partial<SetupFacts>): SetupLine[] {
  return checkSetup({ ...goodFacts, trial: notTried, ...changes });
}

function lineOf(lines: readonly SetupLine[], id: LineId): SetupLine {
  const line = lines.find((candidate) => candidate.id === id);
  assert(line, id);
  return line;
}

function commandsOf({ fixes }: SetupLine): string[] {
  return fixes.flatMap((fix) =>
    fix.kind === 'commands' ? fix.commands.map((words) => words.join(' ')) : [],
  );
}

function withFolder(role: FolderRole, changes: Partial<FolderSpace>): Partial<SetupFacts> {
  return {
    folders: goodFacts.folders.map((folder) => (folder.role === role ? { ...folder, ...changes } : folder)),
  };
}

/** What each value of a fact makes of its line. */
const blockers: readonly (readonly [
  name: string,
  changes: Partial<SetupFacts>,
  id: LineId,
  says: RegExp,
  command?: RegExp,
])[] = [
  ['another system', { platform: 'darwin' }, 'system', /need Linux/],
  ['root', { userId: 0 }, 'system', /run as root/],
  ['another processor', { architecture: 'ppc64' }, 'system', /ppc64/],
  ['no Apptainer', { apptainer: noApptainer }, 'apptainer', /not found/, /install -y apptainer/],
  [
    'no user namespaces',
    namespaces({ maximum: 0 }),
    'userNamespaces',
    /max_user_namespaces/,
    /sysctl -w user\./,
  ],
  [
    'user namespaces for root alone',
    namespaces({ unprivilegedClone: 0 }),
    'userNamespaces',
    /unprivileged_userns_clone/,
    /sysctl -w kernel\.unprivileged_userns_clone=1/,
  ],
  [
    'user namespaces held by AppArmor',
    namespaces({ appArmorRestriction: 1 }),
    'userNamespaces',
    /AppArmor/,
    /ppa:apptainer/,
  ],
  ['no /dev/fuse', { fuse: 'missing' }, 'fuse', /missing/, /modprobe fuse/],
  ['a closed /dev/fuse', { fuse: 'forbidden' }, 'fuse', /may not open/, /chmod 666/],
  ...['allow user ns', 'allow pid ns', 'allow ipc ns', 'allow uts ns', 'user bind control'].map(
    (name) =>
      [
        `${name} = no`,
        { apptainer: programOf('1.4.5', `${name} = no`) },
        'configuration',
        new RegExp(`forbids.*${name} = no`),
      ] as const,
  ),
  ['no seccomp', { hasSeccomp: false }, 'seccomp', /can’t filter/],
  ['no image', { image: noImage }, 'image', /no image/],
];

const warnings: readonly (readonly [string, Partial<SetupFacts>, LineId, RegExp])[] = [
  ['an older Apptainer', { apptainer: programOf('1.3.2') }, 'apptainer', /1\.3\.2.*It works/],
  [
    'nothing that mounts images, as far as was seen',
    { apptainer: { ...programOf(), helpers: ['mksquashfs'] } },
    'helpers',
    /Neither/,
  ],
  [
    'no squashfuse',
    { apptainer: { ...programOf(), helpers: ['unsquashfs', 'mksquashfs'] } },
    'helpers',
    /each start unpacks/,
  ],
  [
    'no mksquashfs',
    { apptainer: { ...programOf(), helpers: ['squashfuse', 'unsquashfs'] } },
    'helpers',
    /can’t be pulled/,
  ],
  [
    'graphics libraries',
    { apptainer: programOf('1.4.5', 'always use nv = yes') },
    'configuration',
    /always use nv/,
  ],
  [
    'small sessions',
    { apptainer: programOf('1.4.5', 'sessiondir max size = 16') },
    'configuration',
    /16 MB.*sessiondir/,
  ],
  ['little room for images', withFolder('images', { freeBytes: 499e6 }), 'imageSpace', /499 MB are free/],
  ['little room in the cache', withFolder('cache', { freeBytes: 1e6 }), 'cacheSpace', /1 MB are free/],
  [
    'little room to unpack',
    withFolder('temporary', { freeBytes: 1e9 }),
    'temporarySpace',
    /1000 MB are free/,
  ],
  ['little room for sessions', withFolder('agentHome', { freeBytes: 0 }), 'homeSpace', /0 MB are free/],
  [
    'a home on a network',
    withFolder('agentHome', { fileSystem: 'network', fileSystemName: 'Lustre' }),
    'fileSystem',
    /^(?!.*damage).*Lustre.*One sandbox at a time.*lock/,
  ],
];

describe('checkSetup', () => {
  it('is content with a computer that has everything', () => {
    const lines = checkSetup(goodFacts);
    assert.deepEqual(
      lines.map(({ id }) => id),
      lineIds,
    );
    assert.deepEqual([...new Set(lines.map(({ state }) => state))], ['ok']);
    assert.equal(firstBlocking(lines), undefined);
  });

  for (const [name, changes, id, says, command] of blockers) {
    it(`says that this blocks: ${name}`, () => {
      const lines = linesWith(changes);
      const line = lineOf(lines, id);
      assert.deepEqual([line.state, firstBlocking(lines)], ['problem', line]);
      assert.match(formatMessage(line.detail), says);
      assert.equal(isComputerReady(lines), id === 'image');
      if (command) assert.match(commandsOf(line).join('\n'), command);
    });
  }

  for (const [name, changes, id, says] of warnings) {
    it(`says that this could be better: ${name}`, () => {
      const lines = linesWith(changes);
      const line = lineOf(lines, id);
      assert.deepEqual([line.state, firstBlocking(lines)], ['warning', undefined]);
      assert.match(formatMessage(line.detail), says);
      assert.deepEqual(
        lines.filter(({ state }) => state === 'warning'),
        [line],
      );
    });
  }

  it('says of every two obstacles both, and names the first in the order of the lines', () => {
    for (const [one, first, firstId] of blockers) {
      for (const [other, second, secondId] of blockers) {
        const lines = linesWith({ ...second, ...first });
        const blocked = lines.filter(({ isBlocking }) => isBlocking).map(({ id }) => id);
        assert.equal(firstBlocking(lines)?.id, blocked[0]);
        // another system has no further lines, and without Apptainer nothing is known of its helpers
        const hides = [first, second].some(({ platform }) => platform !== undefined);
        const hidden = ['helpers', 'configuration', 'siteBinds', 'mode'];
        const expected = [firstId, secondId].filter(
          (id) =>
            (!hides || id === 'system') &&
            !('apptainer' in first && first.apptainer === noApptainer && hidden.includes(id)),
        );
        // a later fact of the same name counts alone
        const isSameFact = Object.keys(first).some((key) => key in second);
        for (const id of isSameFact ? [firstId].filter((each) => expected.includes(each)) : expected) {
          assert.ok(blocked.includes(id), `${one}, ${other}: ${blocked.join(' ')}`);
        }
      }
    }
  });

  it('has no line about Apptainer but one without it', () => {
    const ids = linesWith({ apptainer: noApptainer }).map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id) => ['apptainer', 'mode', 'helpers', 'configuration', 'siteBinds'].includes(id)),
      ['apptainer'],
    );
  });

  it('says that a quota is used up, which blocks nothing that runs already', () => {
    const line = lineOf(linesWith(withFolder('agentHome', { isQuotaUsedUp: true })), 'homeSpace');
    assert.deepEqual([line.state, line.isBlocking], ['problem', false]);
    assert.match(formatMessage(line.detail), /quota/);
  });

  it('believes a container that started more than its expectations', () => {
    const { trial } = goodFacts;
    for (const changes of [
      { fuse: 'missing' } as const,
      namespaces({ appArmorRestriction: 1 }),
      { hasSeccomp: false },
    ]) {
      assert.equal(firstBlocking(linesWith({ ...changes, trial })), undefined);
    }
    // what a container without binds does not show
    const { apptainer } = { apptainer: programOf('1.4.5', 'user bind control = no') };
    assert.equal(firstBlocking(linesWith({ apptainer, trial }))?.id, 'configuration');
  });

  it('puts what Apptainer said into the line that it is about', () => {
    for (const [output, id] of [
      ['Failed to create user namespace: maximum number of user namespaces exceeded', 'userNamespaces'],
      ['Could not write info to setgroups: Permission denied', 'userNamespaces'],
      ['user namepace needed but not allowed by configuration', 'configuration'],
      ["squashfuse_ll exited: fuse: device not found, try 'modprobe fuse' first", 'fuse'],
      ['fuse: failed to open /dev/fuse: Permission denied', 'fuse'],
      ['exec: "unsquashfs": executable file not found in $PATH', 'helpers'],
      ["the image's architecture (arm64) could not run on the host's (amd64)", 'image'],
      ['could not open image /x.sif: image format not recognized', 'image'],
      ['seccomp not enabled', 'seccomp'],
      ['no space left on device', 'container'],
      ['nobody has seen this', 'container'],
    ] as const) {
      const failure = findStartFailure(output);
      const lines = checkSetup({ ...goodFacts, trial: { kind: 'failed', failure } });
      assert.deepEqual(lineOf(lines, id).detail, failure.meaning, output);
      assert.equal(firstBlocking(lines)?.id, id, output);
    }
  });

  it('can’t judge a configuration that it may not read', () => {
    const line = lineOf(
      linesWith({ apptainer: { ...programOf(), configuration: undefined } }),
      'configuration',
    );
    assert.deepEqual([line.state, line.isBlocking], ['unknown', false]);
  });

  it('offers the package of Ubuntu for AppArmor on Ubuntu alone', () => {
    const debian = { name: 'Debian', ids: ['debian'] };
    const held = namespaces({ appArmorRestriction: 1 });
    assert.deepEqual(commandsOf(lineOf(linesWith({ ...held, distribution: debian }), 'userNamespaces')), []);
    assert.equal(
      commandsOf(lineOf(linesWith({ ...held, distribution: ubuntu }), 'userNamespaces')).length,
      3,
    );
    const profile = namespaces({ appArmorRestriction: 1, hasAppArmorProfile: true });
    assert.equal(lineOf(linesWith(profile), 'userNamespaces').state, 'ok');
  });
});
