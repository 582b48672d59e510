import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileKey, keysInFiles, movableKeys, moveStandingKeys } from '../../../src/launch/keyMoves';
import { readProjectConfiguration } from '../../../src/opencode/projectConfiguration';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const compatible = '@ai-sdk/openai-compatible';
const baseURL = 'https://models.example/v1';

function provider(apiKey: string, address = baseURL, npm = compatible): object {
  return { npm, options: { baseURL: address, apiKey } };
}

describe('moving keys to secret storage', () => {
  const folder = useTemporaryFolder();
  const write = (name: string, providers: object): void =>
    writeFileSync(join(folder(), name), JSON.stringify({ provider: providers }));
  const read = (name = 'opencode.json'): string => readFileSync(join(folder(), name), 'utf8');
  const move = async (
    kept: [string, string][] = [],
    choose: (found: FileKey[]) => FileKey[] = (found) => found,
  ): Promise<{ moved: number; left: number; keys: Record<string, string> }> => {
    const keys = new Map(kept);
    const store = {
      modelKey: (baseUrl: string) => Promise.resolve(keys.get(baseUrl)),
      setModelKey: (baseUrl: string, key: string) => Promise.resolve(void keys.set(baseUrl, key)),
    };
    const chosen = choose(keysInFiles(await readProjectConfiguration(folder())));
    const result = await moveStandingKeys(folder(), store, chosen);
    return { ...result, keys: Object.fromEntries(keys) };
  };

  it('stores a key and takes it out of the file', async () => {
    write('opencode.json', { p: provider('sk-first') });
    assert.deepEqual(await move(), { moved: 1, left: 0, keys: { [baseURL]: 'sk-first' } });
    assert.doesNotMatch(read(), /sk-first|apiKey/);
  });

  it('leaves the key of a provider with another API, and of an address that can’t be used', async () => {
    write('opencode.json', {
      google: provider('sk-google', baseURL, '@ai-sdk/google'),
      odd: provider('sk-odd', 'https://models.example/v1?key=1'),
      p: provider('sk-first'),
    });
    assert.deepEqual(await move(), { moved: 1, left: 2, keys: { [baseURL]: 'sk-first' } });
    assert.match(read(), /sk-google/);
    assert.match(read(), /sk-odd/);
    assert.doesNotMatch(read(), /sk-first/);
  });

  it('leaves a key when another one is stored for the server, and takes out an equal one', async () => {
    write('opencode.json', { p: provider('sk-newer') });
    assert.deepEqual(await move([[baseURL, 'sk-stored']]), {
      moved: 0,
      left: 1,
      keys: { [baseURL]: 'sk-stored' },
    });
    assert.match(read(), /sk-newer/);
    assert.deepEqual(await move([[baseURL, 'sk-newer']]), {
      moved: 1,
      left: 0,
      keys: { [baseURL]: 'sk-newer' },
    });
    assert.doesNotMatch(read(), /sk-newer/);
  });

  it('leaves the key of a second provider with the same address', async () => {
    write('opencode.json', { one: provider('sk-one'), two: provider('sk-two') });
    assert.deepEqual(await move(), { moved: 1, left: 1, keys: { [baseURL]: 'sk-one' } });
    assert.match(read(), /sk-two/);
    assert.doesNotMatch(read(), /sk-one/);
  });

  it('stores the key that opencode uses, and leaves the one that it overrides', async () => {
    write('opencode.json', { p: provider('sk-overridden') });
    write('opencode.jsonc', { p: provider('sk-used') });
    assert.deepEqual(await move(), { moved: 1, left: 1, keys: { [baseURL]: 'sk-used' } });
    assert.match(read(), /sk-overridden/);
    assert.doesNotMatch(read('opencode.jsonc'), /sk-used/);
  });

  it('moves only what was chosen of what is approved', async () => {
    const other = 'https://other.example/v1';
    write('opencode.json', { p: provider('sk-first'), planted: provider('sk-planted', other) });
    assert.deepEqual(await move([], (found) => movableKeys(found, [baseURL])), {
      moved: 1,
      left: 1,
      keys: { [baseURL]: 'sk-first' },
    });
    assert.match(read(), /sk-planted/);
    assert.deepEqual((await move([], () => [])).keys, {});
  });

  it('does not store what the agent put in the place of a chosen key meanwhile', async () => {
    for (const swapped of [provider('sk-swapped'), provider('sk-first', 'https://evil.example/v1')]) {
      write('opencode.json', { p: provider('sk-first') });
      const swap = (found: FileKey[]): FileKey[] => {
        write('opencode.json', { p: swapped });
        return found;
      };
      assert.deepEqual(await move([], swap), { moved: 0, left: 1, keys: {} });
      assert.match(read(), /apiKey/);
    }
  });

  it('finds no key in what is no configuration', () => {
    assert.deepEqual(keysInFiles(['[]', '{"provider": {"p": {"options": {"apiKey": 5}}}}']), []);
  });
});
