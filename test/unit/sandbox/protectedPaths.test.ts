import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { formatMessage } from '../../../src/sandbox/message';
import {
  defaultProtectedPaths,
  protectionRefusal,
  readProtectedPatterns,
} from '../../../src/sandbox/protectedPaths';
import { assertNoSlower } from '../../support/linearWork';
import { projectFile } from '../../support/projectFile';

describe('the setting protectedPaths', () => {
  it('has the default that the manifest has', () => {
    const manifest = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as {
      contributes: { configuration: { properties: Record<string, { default: unknown }> } };
    };
    const { default: inManifest } =
      manifest.contributes.configuration.properties['sandboxedAgent.protectedPaths'] ?? {};
    assert.deepEqual(inManifest, defaultProtectedPaths);
  });

  const matches: readonly [string, string, boolean][] = [
    ['.vscode', '.vscode', true],
    ['.vscode', '.VSCode', true],
    ['.vscode', 'xvscode', false],
    ['.vscode/', '.vscode', true],
    ['*.code-workspace', 'a.code-workspace', true],
    ['*.code-workspace', '.code-workspace', true],
    ['*.code-workspace', 'a.code-workspace.txt', false],
    ['a*b*c', 'a\nbc', true],
    ['a*b*c', 'AXXBYYC', true],
    ['a*b*c', 'acb', false],
    ['a*b*c', 'abxc.', false],
    ['*a*a*', 'xaxax', true],
    ['*a*a*', 'xax', false],
    ['ab*b*bc', 'abbc', false],
    ['ab*b*bc', 'abbbc', true],
    ['*Σ*b', 'xασ.B', true],
    ['a+(b)', 'a+(b)', true],
    ['*+(*)', 'a+(b)', true],
    ['[ab]', 'a', false],
  ];
  for (const [entry, name, expected] of matches) {
    it(`${expected ? 'knows' : 'does not take'} ${JSON.stringify(name)} by ${entry}`, () => {
      const [pattern] = readProtectedPatterns([entry]);
      assert.equal(pattern?.names[0]?.test(name), expected);
    });
  }

  it('knows which names can be looked up', () => {
    const [pattern] = readProtectedPatterns(['config/*.json/a.b/']);
    assert.deepEqual(pattern?.literals, ['config', undefined, 'a.b']);
  });

  it('calls by its name only what is ours: the agent can write the settings of a workspace', () => {
    const rules = readProtectedPatterns(['.envrc', '[click](command:x)']).map(({ rule }) => rule);
    assert.deepEqual(rules, ['.envrc', 'sandboxedAgent.protectedPaths']);
  });

  it('costs no more for an entry that is made to cost much', () => {
    const entry = (part: string): string => `a${part.repeat(20_000)}b`;
    const read = (text: string): void => assert.throws(() => readProtectedPatterns([text]));
    assertNoSlower(read, entry('/'), entry('.'));
  });

  it('costs no more for a name that is made to cost much', () => {
    const [pattern] = readProtectedPatterns([`*${'a*'.repeat(300)}b`]);
    const match = (name: string): void => assert.equal(pattern?.names[0]?.test(name), false);
    assertNoSlower(match, 'a'.repeat(2000), 'c'.repeat(2000));
  });

  it('refuses without any name from the folder, which is for the log', () => {
    const refusal = protectionRefusal('symbolicLink', '.git', '/w', '/w/chosen/.git');
    assert.doesNotMatch(formatMessage(refusal.description), /chosen/);
    assert.match(String(refusal.cause), /chosen/);
  });
});
