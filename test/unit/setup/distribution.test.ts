import assert from 'node:assert/strict';
import { installCommands, installHelpers, parseDistribution } from '../../../src/setup/distribution';
import { directiveIs, parseSiteConfiguration } from '../../../src/setup/siteConfiguration';

/** Of their /etc/os-release. */
const releases: readonly (readonly [
  content: string,
  install: RegExp | undefined,
  helpers: RegExp | undefined,
])[] = [
  ['ID=ubuntu\nID_LIKE=debian', /ppa:apptainer\/ppa/, /apt-get install/],
  ['ID=linuxmint\nID_LIKE="ubuntu debian"', /ppa:apptainer\/ppa/, /apt-get install/],
  ['ID=debian', undefined, /apt-get install/],
  ['ID=fedora', /dnf install -y apptainer/, /dnf install/],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"', /epel-release/, /dnf install/],
  ['ID="rhel"\nID_LIKE="fedora"', /epel-release/, /dnf install/],
  [
    'ID="opensuse-leap"\nID_LIKE="suse opensuse"',
    /zypper install apptainer/,
    /zypper install squashfuse squashfs$/,
  ],
  ['ID=arch', /pacman -S apptainer/, /pacman -S/],
  ['ID=alpine', /apk add apptainer$/, /apk add squashfuse squashfs-tools$/],
  ['ID=gentoo', /emerge app-containers\/apptainer/, /emerge sys-fs\/squashfuse sys-fs\/squashfs-tools$/],
  ['ID=nixos', /^nix-env --install --attr nixos\.apptainer$/, undefined],
  ['ID=mine', undefined, undefined],
  ['', undefined, undefined],
];

describe('parseDistribution', () => {
  it('reads names with and without quotes', () => {
    assert.deepEqual(
      parseDistribution(
        `PRETTY_NAME="Rocky Linux 9.4 (Blue Onyx)"\nID='rocky'\nID_LIKE="rhel centos"\n# ID=x\n`,
      ),
      { name: 'Rocky Linux 9.4 (Blue Onyx)', ids: ['rocky', 'rhel', 'centos'] },
    );
  });

  it('takes no id that is none', () => {
    assert.deepEqual(parseDistribution('ID="a b; rm"\nID_LIKE="$(x) debian"').ids, ['debian']);
  });

  for (const [content, install, helpers] of releases) {
    it(`knows how things are installed where it says ${JSON.stringify(content)}`, () => {
      const distribution = parseDistribution(content);
      for (const [expected, commands] of [
        [install, installCommands(distribution)],
        [helpers, installHelpers(distribution, ['squashfuse', 'squashfs-tools'])],
      ] as const) {
        const text = commands.map((words) => words.join(' ')).join('\n');
        if (expected) assert.match(text, expected);
        else assert.equal(text, '');
      }
    });
  }
});

describe('parseSiteConfiguration', () => {
  it('reads directives, of which the last counts, and no comments', () => {
    const found = parseSiteConfiguration(
      '# allow pid ns = no\nallow pid ns = yes\n  Allow PID ns =no # for a reason\nbind path = /a\nbind path = /b\nnonsense\n',
    );
    assert.deepEqual(found.get('bind path'), ['/a', '/b']);
    assert.equal(directiveIs(found, 'allow pid ns', 'no'), true);
    assert.equal(directiveIs(found, 'bind path', '/a'), false);
    assert.equal(directiveIs(found, 'nonsense', ''), false);
  });
});
