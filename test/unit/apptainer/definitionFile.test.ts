import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addOpencodeDefinition } from '../../../src/apptainer/definitions';
import { isLocalBase, readDefinition, refuseDefinition } from '../../../src/apptainer/definitionFile';
import { formatMessage } from '../../../src/sandbox/message';
import { assertNoSlower } from '../../support/linearWork';

const head = 'Bootstrap: docker\nFrom: debian\n';

function refusalOf(text: string): string | undefined {
  return refuseDefinition(readDefinition(text), '/w/a.def')?.code;
}

describe('a definition file', () => {
  for (const [name, text] of [
    ['%setup', `${head}%setup\n  touch ~/x\n`],
    ['%pre', `${head}%pre\n  touch ~/x\n`],
    ['capitals', `${head}%SetUp\n`],
    ['leading spaces', `${head}%post\n  true\n \t %setup\n`],
    ['spaces of other kinds', `${head}%post\n  true\n\u0085\u00a0%setup\n`],
    ['arguments', `${head}%setup -c /bin/bash\n`],
    ['a tab', `${head}%setup\t-c /bin/bash\n`],
    ['more than one %', `${head}%%pre\n`],
    ['no header', '%setup\ntouch ~/x'],
    ['line ends of Windows', `${head.replaceAll('\n', '\r\n')}%setup\r\n`],
    [
      'an earlier stage',
      `Bootstrap: docker\nFrom: a\nStage: build\n%setup\n  x\n${head}Stage: final\n%post\n  x\n`,
    ],
    [
      'a later stage',
      `${head}Stage: build\n%post\n  x\nbootstrap: docker\nFrom: b\nStage: final\n%pre\n  x\n`,
    ],
    ['a text for people', `${head}%help\n  Write a section\n  %setup\n`],
  ] as const) {
    it(`is refused for commands that run on this computer: ${name}`, () => {
      assert.equal(refusalOf(text), 'build.hostSection');
    });
  }

  it('is refused when a value could become the beginning of a section', () => {
    for (const value of ['%setup', '{{ B }}setup']) {
      const text = `${head}%arguments\n  A=${value}\n  B=%\n%post\n  true\n  {{ A }}\n  touch ~/x\n`;
      assert.equal(refusalOf(text), 'build.hiddenSections', value);
    }
    assert.equal(refusalOf(`${head}%arguments\n  A=a%20b\n%post\n  {{ A }}\n`), undefined);
    assert.equal(refusalOf(`${head}%arguments\n  A=%20b\n%post\n  echo {{ A }}\n`), undefined);
  });

  it('is told what is wrong and what to do', () => {
    const refusal = refuseDefinition(readDefinition('%setup -c sh\n'), '/w/a.def');
    assert(refusal);
    const text = formatMessage(refusal.description);
    assert.match(text, /\/w\/a\.def.*%setup.*on this computer itself.*%post.*Select Image/);
  });

  it('may say what is not a section', () => {
    const text = `${head}# %setup\n%post\n  # %pre\n  echo %setup\n  date +%s\n%labels\n  setup x\n%prefix\n`;
    assert.equal(refusalOf(text), undefined);
  });

  for (const section of ['%post', '%arguments']) {
    it(`takes no longer to read when ${section} is made to cost much`, () => {
      const lines = (part: string): string => `${section}\na${part.repeat(20_000)}b`;
      assertNoSlower(readDefinition, lines(' '), lines('.'));
    });
  }

  it('of ours is not refused, and copies nothing', () => {
    const folder = join(__dirname, '../../../../media/definitions');
    const ours = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    assert(ours.length >= 2);
    for (const text of [...ours, addOpencodeDefinition('/i/a.sif')]) {
      assert.equal(refusalOf(text), undefined);
      assert.deepEqual(readDefinition(text).copied, []);
    }
  });

  it('is asked what it copies from this computer, with values put in', () => {
    const text = `${head}Stage: one
%arguments
  WHERE=/home/me
%files
  {{ WHERE }}/.ssh /keys
  # nothing
  "/a b" /c
%files from one
  /inside /x
%appfiles tool
  /etc/passwd
%files from
  /odd
`;
    assert.deepEqual(readDefinition(text).copied, [
      '/home/me/.ssh /keys',
      '"/a b" /c',
      '/etc/passwd',
      '/odd',
    ]);
  });

  it('hides nothing behind what only looks like a stage or a section', () => {
    const text = `${head}%files\n  Bootstrap: x\n  /etc/one\n\ufeff%labels\n  /etc/two\n`;
    assert.deepEqual(readDefinition(text).copied, ['Bootstrap: x', '/etc/one', '\ufeff%labels', '/etc/two']);
  });

  it('is asked for the whole of a value that goes on in the next line', () => {
    const { bases } = readDefinition('Bootstrap: localimage\nFrom: /w/\\\n  a:\\\n b.sif\nStage: x\n');
    assert.deepEqual(bases, [{ bootstrap: 'localimage', from: '/w/a:b.sif' }]);
  });

  it('is asked for everything that it begins with', () => {
    const text = `From: /w/base.sif # mine
Bootstrap: docker
From: debian
%post
  true
Bootstrap: {{ HOW }}
From : /w/{{ NAME }}.sif
%arguments
  HOW=LocalImage
  NAME=evil
`;
    const { bases } = readDefinition(text);
    assert.deepEqual(bases, [
      { bootstrap: '', from: '/w/base.sif' },
      { bootstrap: 'docker', from: 'debian' },
      { bootstrap: 'localimage', from: '/w/evil.sif' },
    ]);
    assert.deepEqual(bases.map(isLocalBase), [false, false, true]);
  });
});
