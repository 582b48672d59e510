import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { commandLine } from '../../../src/sandbox/commandLine';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { UserError } from '../../../src/sandbox/userError';
import { exampleSpecification, identity } from '../../support/exampleSpecification';
import { useTemporaryFolder, writeProgram } from '../../support/temporaryFolder';

const specification = exampleSpecification();

describe('commandLine', () => {
  const root = useTemporaryFolder();

  /** What a real shell hands to Apptainer: its arguments and environment, NUL between them. */
  function run(changes: Partial<SandboxSpecification>): {
    argv: string[];
    environment: string[];
    files: string;
  } {
    const apptainer = writeProgram(
      `${root()}/apptainer $x 'y'`,
      [
        'printf "%s\\0" "$@"',
        'printf "=\\0"; /usr/bin/env -0; printf "=\\0"',
        'for word; do case $word in seccomp:*) cat "${word#seccomp:}"; ls "$(dirname "${word#seccomp:}")/..";; esac; done',
      ].join('\n'),
    );
    const text = commandLine({ ...specification, apptainer, ...changes }, { PATH: '/usr/bin:/bin' }, 'x64');
    const output = execFileSync('/bin/sh', ['-c', text], { env: { SECRET: 'leaked' }, encoding: 'utf8' });
    const [argv = '', environment = '', files = ''] = output.split('=\0');
    return { argv: argv.split('\0').slice(0, -1), environment: environment.split('\0').slice(0, -1), files };
  }

  it('hands Apptainer the same arguments as the supervisor does, and no variable of the user’s', () => {
    const { argv, environment, files } = run({});
    const at = (name: string): string | undefined => argv[argv.indexOf(name) + 1];
    assert.equal(argv[1], 'exec');
    for (const flag of ['--userns', '--containall', '--cleanenv', '--no-eval', '--drop-caps', '--net']) {
      assert.ok(argv.includes(flag), flag);
    }
    assert.match(
      at('--security') ?? '',
      /^seccomp:\/tmp\/sandboxed-agent-by-hand-\w+\/control\/seccomp\.json$/,
    );
    assert.ok(argv.includes('type=bind,source=/data/w,destination=/data/w'));
    assert.deepEqual(argv.slice(-4), ['--pwd', '/data/w', '/images/opencode.sif', 'opencode']);
    const own = environment.filter((variable) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(variable));
    assert.deepEqual(own.sort(), ['APPTAINERENV_COLORTERM=truecolor', 'PATH=/usr/bin:/bin']);
    assert.match(files, /"defaultAction":"SCMP_ACT_ALLOW"/);
    assert.match(files, /inside/);
  });

  it('removes the folder that it made', () => {
    const { argv } = run({});
    const profile = argv.find((word) => word.startsWith('seccomp:'))?.slice('seccomp:'.length) ?? '';
    assert.throws(() => execFileSync('/bin/ls', [profile], { stdio: 'pipe' }));
  });

  const names = [
    "it's",
    '$HOME $(id) `id`',
    'a "b" \\c',
    'comma,x',
    '*?[a]',
    ' -rf ~',
    'ünï 漢字 🎉',
    '#x;y&z|',
  ];
  for (const name of names) {
    it(`carries a folder that is called ${name}`, () => {
      const path = `/data/${name}`;
      const { argv } = run({ workspace: { path, identity } });
      assert.equal(argv[argv.indexOf('--pwd') + 1], path);
    });
  }

  it('runs what the sandbox runs', () => {
    assert.equal(run({ kind: 'shell' }).argv.at(-2), '-c');
    assert.deepEqual(run({ kind: 'task', prompt: 'secret task' }).argv.slice(-2), ['opencode', 'run']);
    assert.ok(
      !commandLine({ ...specification, kind: 'task', prompt: 'secret task' }, {}, 'x64').includes('secret'),
    );
  });

  for (const character of ['\n', '\r', '\u001b', '\u0003']) {
    it(`refuses a name with ${JSON.stringify(character)}, which a terminal would obey`, () => {
      const workspace = { path: `/data/a${character}b`, identity };
      assert.throws(() => commandLine({ ...specification, workspace }, {}, 'x64'), UserError);
    });
  }
});
