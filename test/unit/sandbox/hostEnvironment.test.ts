import assert from 'node:assert/strict';
import { canStandOnSearchPath, pullEnvironment, toolEnvironment } from '../../../src/sandbox/hostEnvironment';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What a user's session, or somebody who wants to get out of the sandbox, may have set. */
const hostile = {
  PATH: '/data/project/.venv/bin:/usr/bin',
  HOME: '/home/ada',
  LANG: 'de_DE.UTF-8',
  XDG_RUNTIME_DIR: '/run/user/1000',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
  APPTAINER_BIND: '/home',
  APPTAINER_BINDPATH: '/home',
  APPTAINER_MOUNT: 'type=bind,source=/home,destination=/x',
  APPTAINER_HOME: '/home/ada',
  APPTAINER_FAKEROOT: '1',
  APPTAINER_ADD_CAPS: 'CAP_SYS_ADMIN',
  APPTAINER_FUSESPEC: 'host:/data/project/run /m',
  APPTAINER_CONFIG_FILE: '/data/project/apptainer.conf',
  APPTAINERENV_LD_PRELOAD: '/data/project/x.so',
  SINGULARITY_BIND: '/home',
  SINGULARITYENV_PREPEND_PATH: '/data/project',
  LD_PRELOAD: '/data/project/x.so',
  LD_LIBRARY_PATH: '/data/project',
  NODE_OPTIONS: '--require /data/project/x.js',
  BASH_ENV: '/data/project/x.sh',
  https_proxy: 'http://user:password@proxy:3128',
  NO_PROXY: 'localhost',
  SSL_CERT_FILE: '/etc/site.pem',
  APPTAINER_CACHEDIR: '/scratch/cache',
  APPTAINER_TMPDIR: '/scratch/tmp',
};

describe('toolEnvironment', () => {
  it('holds the home, and nothing else of the user’s', () => {
    assert.deepEqual(toolEnvironment('/usr/bin/apptainer', hostile), {
      PATH: systemPath,
      LANG: 'C.UTF-8',
      HOME: '/home/ada',
    });
  });

  it('leaves out what is not set', () => {
    assert.deepEqual(toolEnvironment('/usr/bin/apptainer', { XDG_RUNTIME_DIR: '' }), {
      PATH: systemPath,
      LANG: 'C.UTF-8',
    });
  });

  it('looks for helpers beside an unpacked Apptainer first', () => {
    assert.equal(toolEnvironment('/opt/a/bin/apptainer', {})['PATH'], `/opt/a/bin:${systemPath}`);
    assert.equal(toolEnvironment('/usr/local/bin/apptainer', {})['PATH'], systemPath);
  });

  it('puts no folder on PATH that would fall into two', () => {
    assert.equal(toolEnvironment('/opt/a:b/bin/apptainer', {})['PATH'], systemPath);
    assert.equal(canStandOnSearchPath('/opt/a:b/bin/apptainer'), false);
    assert.equal(canStandOnSearchPath('/opt/ab/bin/apptainer'), true);
  });
});

describe('pullEnvironment', () => {
  it('adds proxies, authorities and the places with room', () => {
    const added = Object.entries(pullEnvironment('/usr/bin/apptainer', hostile)).filter(
      ([name]) => !(name in toolEnvironment('/usr/bin/apptainer', hostile)),
    );
    assert.deepEqual(Object.fromEntries(added), {
      https_proxy: hostile.https_proxy,
      NO_PROXY: 'localhost',
      SSL_CERT_FILE: '/etc/site.pem',
      APPTAINER_CACHEDIR: '/scratch/cache',
      APPTAINER_TMPDIR: '/scratch/tmp',
    });
  });
});
