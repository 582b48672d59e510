import assert from 'node:assert/strict';
import { mountArgument } from '../../../src/sandbox/binds';
import { planLaunch } from '../../../src/sandbox/launchPlan';
import { runDirectoryAt } from '../../../src/sandbox/runDirectory';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { exampleSpecification, identity } from '../../support/exampleSpecification';

const run = runDirectoryAt('/tmp/sandboxed-agent-x');
const plan = (changes?: Partial<SandboxSpecification>) =>
  planLaunch(exampleSpecification(changes), run, { PATH: '/usr/bin', HOME: '/home/me' });

/** The values of an option that may be given several times. */
function valuesOf(option: string, args: readonly string[]): string[] {
  return args.flatMap((argument, index) => (argument === option ? [args[index + 1] ?? ''] : []));
}

describe('planLaunch', () => {
  it('asks for every isolation that the verdict expects', () => {
    const { arguments: args } = plan();
    for (const flag of ['--userns', '--containall', '--cleanenv', '--no-eval', '--net']) {
      assert.ok(args.includes(flag), flag);
    }
    assert.deepEqual(valuesOf('--network', args), ['none']);
    assert.deepEqual(valuesOf('--no-mount', args), ['sys,bind-paths,home']);
    assert.deepEqual(valuesOf('--drop-caps', args), ['all']);
    assert.deepEqual(valuesOf('--hostname', args), ['sandbox']);
    assert.deepEqual(valuesOf('--security', args), [`seccomp:${run.seccompProfile}`]);
  });

  it('never asks for what takes isolation away', () => {
    const { arguments: args } = plan({ network: 'open' });
    const forbidden =
      /^--(fakeroot|add-caps|writable|writable-tmpfs|overlay|bind|no-home|nv|env|env-file|keep-privs)$/;
    assert.deepEqual(
      args.slice(0, args.indexOf('/images/opencode.sif')).filter((argument) => forbidden.test(argument)),
      [],
    );
    assert.equal(args.includes('--net'), false);
  });

  it('binds the workspace, inside/ and the configuration read-only, an empty folder over the home, and the home', () => {
    assert.deepEqual(valuesOf('--mount', plan().arguments), [
      'type=bind,source=/data/w,destination=/data/w',
      'type=bind,source=/tmp/sandboxed-agent-x/inside,destination=/run/sandboxed-agent,ro',
      'type=bind,source=/tmp/sandboxed-agent-x/inside/opencode,destination=/etc/opencode,ro',
      'type=bind,source=/tmp/sandboxed-agent-x/inside/empty,destination=/data/w/agent-home,ro',
      'type=bind,source=/data/w/agent-home,destination=/home/agent',
    ]);
  });

  it('binds a copy of opencode read-only over the image’s, before all else', () => {
    const identity = { device: '1', inode: '2', size: '3', changedTime: '4' };
    const opencodeCopy = { path: '/storage/x.opencode', identity, destination: '/usr/bin/opencode' };
    const { arguments: args, expectation } = plan({ opencodeCopy });
    assert.deepEqual(valuesOf('--mount', args), [
      'type=bind,source=/storage/x.opencode,destination=/usr/bin/opencode,ro',
      ...valuesOf('--mount', plan().arguments),
    ]);
    assert.equal(expectation.binds[0]?.isFile, true);
  });

  it('gives opencode an empty catalogue only when it can do without its own', () => {
    const name = 'APPTAINERENV_OPENCODE_MODELS_PATH';
    assert.equal(plan().environment[name], undefined);
    const { environment, expectation } = plan({ withoutCatalogue: true });
    assert.equal(environment[name], '/run/sandboxed-agent/models.json');
    assert.ok(expectation.environmentNames.includes('OPENCODE_MODELS_PATH'));
  });

  it('never binds control/', () => {
    assert.equal(
      plan().arguments.some((argument) => argument.includes(`source=${run.control}`)),
      false,
    );
  });

  it('covers nothing when the home is elsewhere', () => {
    const mounts = valuesOf(
      '--mount',
      plan({ home: { kind: 'folder', folder: { path: '/homes/a', identity } } }).arguments,
    );
    assert.equal(
      mounts.some((mount) => mount.includes('/inside/empty')),
      false,
    );
    assert.ok(mounts.includes('type=bind,source=/homes/a,destination=/home/agent'));
  });

  it('covers the homes of other agents, too, whatever its own is, and each once', () => {
    const otherHomes = ['/data/w/agent-home', '/data/w/a/b', '/data/w/a', '/homes/c'].map((path) => ({
      ...{ path, identity },
    }));
    const elsewhere = { kind: 'folder' as const, folder: { path: '/homes/a', identity } };
    for (const home of [{ kind: 'memory' as const }, elsewhere]) {
      const covers = valuesOf('--mount', plan({ home, otherHomes }).arguments).filter((mount) =>
        mount.includes('/inside/empty'),
      );
      assert.deepEqual(
        covers.map((mount) => mount.replace(/.*destination=/, '')),
        ['/data/w/agent-home,ro', '/data/w/a,ro'],
      );
    }
  });

  it('keeps the home in memory when asked', () => {
    const { arguments: args } = plan({ home: { kind: 'memory' } });
    assert.deepEqual(valuesOf('--scratch', args), ['/home/agent']);
    assert.deepEqual(valuesOf('--home', args), [`${run.home}:/home/agent`]);
  });

  it('puts the home elsewhere when the workspace lies where it would be', () => {
    const workspace = { path: '/home/agent/w', identity };
    const { arguments: args } = plan({
      workspace,
      home: { kind: 'folder', folder: { path: '/home/agent/w/agent-home', identity } },
    });
    assert.deepEqual(valuesOf('--home', args), [`${run.home}:/home/sandboxed-agent`]);
  });

  it('hands values to the inside by Apptainer’s variables only', () => {
    const { arguments: args, environment } = plan({ insideEnvironment: { SECRET: 'a"b`id`,c=d' } });
    assert.equal(environment['APPTAINERENV_SECRET'], 'a"b`id`,c=d');
    assert.equal(
      args.some((argument) => argument.includes('a"b')),
      false,
    );
  });

  it('starts the companion in / with Bun’s own files off, and keeps the prompt out of argv', () => {
    const { arguments: args } = plan({ kind: 'task', prompt: 'the secret prompt' });
    assert.deepEqual(valuesOf('--pwd', args), ['/']);
    const command = args.slice(args.indexOf('opencode'));
    assert.deepEqual(command, [
      'opencode',
      '--no-env-file',
      '--config=/dev/null',
      '/run/sandboxed-agent/companion.mjs',
      '/run/sandboxed-agent/companion.sock',
    ]);
    assert.equal(
      args.some((argument) => argument.includes('secret prompt')),
      false,
    );
  });

  it('takes the host’s network away unless it is open', () => {
    assert.deepEqual(valuesOf('--network', plan({ network: 'restricted' }).arguments), ['none']);
    assert.ok(plan({ network: 'restricted' }).arguments.includes('--net'));
    assert.deepEqual(valuesOf('--network', plan({ network: 'open' }).arguments), []);
  });

  it('tells programs of the proxy in both spellings, with a restricted network alone', () => {
    const proxies = (network: SandboxSpecification['network']) =>
      Object.entries(plan({ network }).environment).filter(([name]) => /proxy/i.test(name));
    assert.deepEqual(Object.fromEntries(proxies('restricted')), {
      APPTAINERENV_HTTP_PROXY: 'http://127.0.0.1:3128',
      APPTAINERENV_HTTPS_PROXY: 'http://127.0.0.1:3128',
      APPTAINERENV_NO_PROXY: 'localhost,127.0.0.1,::1',
      APPTAINERENV_http_proxy: 'http://127.0.0.1:3128',
      APPTAINERENV_https_proxy: 'http://127.0.0.1:3128',
      APPTAINERENV_no_proxy: 'localhost,127.0.0.1,::1',
    });
    assert.deepEqual(proxies('open'), []);
    assert.deepEqual(proxies('none'), []);
  });

  it('lets variables of the user’s not replace ours, and expects them all', () => {
    const shown = { COLORTERM: 'theirs', HTTPS_PROXY: 'http://theirs', DATA_TOKEN: 'a"b' };
    const {
      environment,
      expectation,
      arguments: args,
    } = planLaunch(exampleSpecification({ network: 'restricted' }), run, { PATH: '/usr/bin' }, shown);
    assert.equal(environment['APPTAINERENV_COLORTERM'], 'truecolor');
    assert.equal(environment['APPTAINERENV_HTTPS_PROXY'], 'http://127.0.0.1:3128');
    assert.equal(environment['APPTAINERENV_DATA_TOKEN'], 'a"b');
    assert.ok(expectation.shownNames.includes('DATA_TOKEN'));
    assert.equal(
      args.some((argument) => argument.includes('DATA_TOKEN')),
      false,
    );
  });

  it('has a shell started by the companion where there is a gateway to reach', () => {
    const { arguments: args } = plan({ kind: 'shell', network: 'restricted' });
    assert.deepEqual(valuesOf('--pwd', args), ['/']);
    assert.deepEqual(args.slice(args.indexOf('opencode') + 1), [
      '--no-env-file',
      '--config=/dev/null',
      '/run/sandboxed-agent/companion.mjs',
      '/run/sandboxed-agent/companion.sock',
    ]);
  });

  it('starts a shell in the workspace, without the companion', () => {
    const { arguments: args } = plan({ kind: 'shell' });
    assert.deepEqual(valuesOf('--pwd', args), ['/data/w']);
    assert.equal(args.includes('opencode'), false);
  });

  it('puts the gate before everything that runs', () => {
    const { arguments: args } = plan();
    const image = args.indexOf('/images/opencode.sif');
    assert.deepEqual(args.slice(image + 1, image + 3), ['/bin/sh', '-c']);
    assert.match(args[image + 3] ?? '', /^read -r word <"\$1"; \[ "\$word" = run \] \|\| exit 86;/);
  });
});

describe('mountArgument', () => {
  const cases: [path: string, expected: string][] = [
    ['/a b', 'type=bind,source=/a b,destination=/a b'],
    ['/a,ro', 'type=bind,"source=/a,ro","destination=/a,ro"'],
    ['/a"b', 'type=bind,"source=/a""b","destination=/a""b"'],
    ['/a\nb', 'type=bind,"source=/a\nb","destination=/a\nb"'],
    ['/a:b=c', 'type=bind,source=/a:b=c,destination=/a:b=c'],
  ];
  for (const [path, expected] of cases) {
    it(`quotes ${JSON.stringify(path)}`, () => {
      assert.equal(mountArgument({ source: path, destination: path, mode: 'readWrite' }), expected);
      assert.equal(mountArgument({ source: path, destination: path, mode: 'readOnly' }), `${expected},ro`);
    });
  }
});
