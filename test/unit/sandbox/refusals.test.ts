import assert from 'node:assert/strict';
import type { ReservedKind, Surroundings } from '../../../src/sandbox/forbiddenPlaces';
import type { Place } from '../../../src/sandbox/paths';
import { type FolderFacts, refuseHost, refuseWorkspace } from '../../../src/sandbox/refusals';

const place = (path: string): Place => ({ path, ancestry: [] });
const reserve = (kind: ReservedKind, path: string): Surroundings['reserved'][number] => ({
  kind,
  place: place(path),
});

const surroundings: Surroundings = {
  homes: [place('/home/ada'), place('/data/homes/ada')],
  reserved: [
    reserve('temporary', '/tmp'),
    reserve('temporary', '/var/tmp'),
    reserve('runtime', '/data/runtime/1000'),
    reserve('storage', '/data/editor/storage'),
    reserve('editor', '/data/vscode-server'),
    reserve('image', '/data/images/opencode.sif'),
    reserve('apptainer', '/data/apptainer/bin/apptainer'),
  ],
};

function folder(path: string, more: Partial<FolderFacts> = {}): FolderFacts {
  return { place: place(path), kind: 'folder', ours: true, readable: true, writable: true, ...more };
}

function refusalOf(path: string, more: Partial<FolderFacts> = {}): string | undefined {
  return refuseWorkspace(folder(path, more), surroundings)?.code;
}

describe('refuseHost', () => {
  it('refuses what is not Linux, and root', () => {
    assert.equal(refuseHost({ platform: 'darwin', uid: 501 })?.code, 'host.notLinux');
    assert.equal(refuseHost({ platform: 'win32', uid: -1 })?.code, 'host.notLinux');
    assert.equal(refuseHost({ platform: 'linux', uid: 0 })?.code, 'host.root');
    assert.equal(refuseHost({ platform: 'linux', uid: 1000 }), undefined);
  });
});

describe('refuseWorkspace', () => {
  const refused: Record<string, readonly string[]> = {
    systemFolder: [
      ...[
        '/',
        '/etc',
        '/etc/x',
        '/usr',
        '/usr/share/x',
        '/proc',
        '/proc/1/root',
        '/sys',
        '/sys/x',
        '/dev/shm/x',
      ],
      ...['/run', '/run/user/1000', '/boot', '/boot/x', '/bin', '/lib', '/lib/x', '/lib64', '/sbin'],
      ...['/var', '/opt', '/root', '/home', '/mnt', '/media', '/srv'],
    ],
    runDirectory: [
      '/tmp/sandboxed-agent-0a1b2c3d',
      '/tmp/sandboxed-agent-0a1b2c3d/control',
      '/data/runtime/1000/sandboxed-agent-89abcdef/inside/opencode',
    ],
    windowsFolder: [
      ...['/mnt/c', '/mnt/d', '/mnt/c/Users', '/mnt/c/Users/Ada', '/mnt/c/Windows/System32'],
      ...['/mnt/c/Program Files/x', '/mnt/c/Program Files (x86)'],
    ],
    home: ['/home/ada', '/data/homes/ada', '/data/homes', '/data'],
    dotFolder: [
      ...['/home/ada/.ssh', '/home/ada/.config', '/home/ada/.config/Code/User', '/home/ada/.local/share/x'],
      ...['/home/ada/.vscode-server/data', '/home/ada/.vscode', '/data/homes/ada/.gnupg'],
    ],
    temporary: ['/tmp', '/var/tmp'],
    runtime: ['/data/runtime', '/data/runtime/1000'],
    storage: ['/data/editor', '/data/editor/storage', '/data/editor/storage/sandboxes'],
    editor: ['/data/vscode-server', '/data/vscode-server/bin/x'],
    image: ['/data/images'],
    apptainer: ['/data/apptainer', '/data/apptainer/bin'],
  };
  for (const [code, paths] of Object.entries(refused)) {
    it(`refuses with workspace.${code}, and says which folder`, () => {
      for (const path of paths) {
        const refusal = refuseWorkspace(folder(path), surroundings);
        assert.equal(refusal?.code, `workspace.${code}`, path);
        assert(refusal.message.startsWith(`${path} can't be given`), refusal.message);
        assert.deepEqual(refusal.action, { kind: 'openFolder' });
      }
    });
  }

  it('lets project folders pass', () => {
    const names = ['a,b', 'a:b', 'a"b', "a'b", 'a b', 'a\nb', 'ünï', '-rf', 'x.ssh', '..x', '$(id)'];
    const paths = [
      ...names.map((name) => `/home/ada/projects/${name}`),
      ...['/tmp/x', '/var/tmp/x', '/opt/project', '/srv/data/x', '/mnt/c/Users/Ada/project', '/mnt/data'],
      ...[
        '/home/ada/project/.git',
        '/home/adam',
        '/data/imagesx',
        '/data/runtime/1000/x',
        '/procession',
        '/library',
      ],
    ];
    for (const path of paths) assert.equal(refusalOf(path), undefined, path);
  });

  it('knows the home under a path that nobody listed', () => {
    const ada = { path: '/home/ada', ancestry: ['1:30', '1:20', '1:2'] };
    const export_ = { path: '/export/x', ancestry: ['1:20', '1:10', '1:2'] };
    const ssh = { path: '/export/x/ada/.ssh', ancestry: ['1:40', '1:30', '1:20', '1:10', '1:2'] };
    const code = (it: Place): string | undefined =>
      refuseWorkspace(folder('', { place: it }), { homes: [ada], reserved: [] })?.code;
    assert.equal(code(export_), 'workspace.home');
    assert.equal(code(ssh), 'workspace.dotFolder');
  });

  it('refuses what is not there, is no folder, or is closed', () => {
    assert.equal(refusalOf('/data/p/x', { kind: 'missing' }), 'workspace.missing');
    assert.equal(refusalOf('/data/p/x', { kind: 'other' }), 'workspace.notAFolder');
    assert.equal(refusalOf('/data/p/x', { kind: 'link' }), 'workspace.notAFolder');
    assert.equal(refusalOf('/data/p/x', { kind: 'unreachable' }), 'workspace.unreadable');
    assert.equal(refusalOf('/data/p/x', { readable: false }), 'workspace.unreadable');
    assert.equal(refusalOf('/data/p/x', { writable: false }), 'workspace.readOnly');
  });

  it('refuses a path that no file can have', () => {
    assert.equal(refusalOf('/data/p\0/x'), 'workspace.invalidPath');
    assert.equal(refusalOf('relative'), 'workspace.invalidPath');
  });

  it('says that a system folder is one, not that it is read-only', () => {
    assert.equal(refusalOf('/usr', { writable: false }), 'workspace.systemFolder');
  });
});
