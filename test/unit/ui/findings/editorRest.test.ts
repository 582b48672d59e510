import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EditorRest, type EditorSettings } from '../../../../src/ui/findings/editorRest';
import { useTemporaryFolder } from '../../../support/temporaryFolder';

class Memory {
  private readonly values = new Map<string, unknown>();
  get = <Value>(key: string): Value | undefined => this.values.get(key) as Value | undefined;
  update = (key: string, value: unknown): Promise<void> => {
    // as VS Code keeps it
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, JSON.parse(JSON.stringify(value)));
    return Promise.resolve();
  };
}

/** One user with windows on folders: settings are written by path, as VS Code does, through links and all. */
class User {
  tasks: unknown = 'on';
  readonly memory = new Memory();
  /** the next change of settings fails */
  fails = false;

  window(...folders: string[]): EditorRest {
    const settings: EditorSettings = {
      folders: () => folders,
      realPath: (folder) => Promise.resolve(folder),
      git: (folder) => gitOf(folder),
      setGit: async (folder, value) => {
        await this.change();
        mkdirSync(join(folder, '.vscode'), { recursive: true });
        writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify({ 'git.enabled': value }));
      },
      tasks: () => this.tasks,
      setTasks: async (value) => {
        await this.change();
        this.tasks = value;
      },
    };
    return new EditorRest({ settings, memory: new Memory(), userMemory: this.memory });
  }

  private change(): Promise<void> {
    if (!this.fails) return Promise.resolve();
    return Promise.reject(new Error('settings can’t be written'));
  }
}

function gitOf(folder: string): unknown {
  try {
    const text = readFileSync(join(folder, '.vscode/settings.json'), 'utf8');
    return (JSON.parse(text) as Record<string, unknown>)['git.enabled'];
  } catch {
    return undefined;
  }
}

describe('the editor at rest', () => {
  const folder = useTemporaryFolder();
  let user: User;
  let workspace: string;
  let outside: string;
  beforeEach(() => {
    user = new User();
    workspace = join(folder(), 'workspace');
    outside = join(folder(), 'outside');
    mkdirSync(workspace);
    mkdirSync(outside);
  });
  const settings = (): string => join(workspace, '.vscode/settings.json');

  it('has git and tasks off, and all as it was afterwards', async () => {
    const window = user.window(workspace);
    await window.rest();
    assert.deepEqual([gitOf(workspace), user.tasks, window.isResting], [false, 'off', true]);
    await window.wake();
    assert.deepEqual([gitOf(workspace), user.tasks, window.isResting], [undefined, 'on', false]);
    assert.throws(() => readFileSync(settings()), /ENOENT/);
  });

  it('writes through no link that is where the settings are', async () => {
    const other = join(folder(), 'other');
    mkdirSync(join(other, '.vscode'), { recursive: true });
    writeFileSync(join(outside, 'settings.json'), 'mine');
    symlinkSync(outside, join(workspace, '.vscode'));
    symlinkSync(join(outside, 'settings.json'), join(other, '.vscode/settings.json'));
    const window = user.window(workspace, other);
    await window.rest();
    assert.equal(user.tasks, 'off');
    await window.wake();
    assert.equal(readFileSync(join(outside, 'settings.json'), 'utf8'), 'mine');
    assert.equal(window.isResting, false);
  });

  it('writes through no link that took the place meanwhile, and puts back once it is gone', async () => {
    const window = user.window(workspace);
    await window.rest();
    writeFileSync(join(outside, 'settings.json'), 'mine');
    rmSync(settings());
    symlinkSync(join(outside, 'settings.json'), settings());
    await window.wake();
    assert.equal(readFileSync(join(outside, 'settings.json'), 'utf8'), 'mine');
    assert.deepEqual([user.tasks, window.isResting], ['on', false]);
    rmSync(settings());
    writeFileSync(settings(), '{"git.enabled":false}');
    await window.wake();
    assert.throws(() => readFileSync(settings()), /ENOENT/);
  });

  it('gives the user’s own value back after two windows, with the last one', async () => {
    const one = user.window(workspace);
    const two = user.window(outside);
    await one.rest();
    await two.rest();
    await one.wake();
    assert.equal(user.tasks, 'off');
    await two.wake();
    assert.equal(user.tasks, 'on');
  });

  it('puts back later what could not be put back', async () => {
    const window = user.window(workspace);
    await window.rest();
    user.fails = true;
    await assert.rejects(window.wake(), /can’t be written/);
    assert.deepEqual([gitOf(workspace), user.tasks], [false, 'off']);
    user.fails = false;
    // neither what was left so is taken for the user's own
    await window.rest();
    await window.rest();
    await Promise.all([window.wake(), window.wake()]);
    assert.deepEqual([gitOf(workspace), user.tasks, window.isResting], [undefined, 'on', false]);
  });
});
