import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from '../../scripts/demoModel/scenario';
import { editorEnvironment } from '../../src/launch/sessionSandbox';
import { editSessions } from '../../src/launch/sessionEditor';
import { openingOptions } from './support/keptHome';
import { scriptedSessions } from './support/opencodeSessions';
import { sessionsOf } from './support/manyWrites';
import { identified, TestFolders } from './support/sandboxUnderTest';
import { sessionSandbox } from './support/sessionHome';

const tool = (name: string, values: Readonly<Record<string, unknown>>) => ({
  tools: [{ name, arguments: values }],
});
const file = (name: string): { readonly filePath: string } => ({ filePath: `\${cwd}/${name}` });

/** Makes a file, changes one, writes two over, and has a sub-agent help. */
const scenario: Scenario = {
  models: ['scripted'],
  title: 'Numbers',
  rules: [
    {
      match: '^count$',
      steps: [
        tool('write', { ...file('new.txt'), content: 'one\ntwo\nthree' }),
        tool('write', { ...file('two.txt'), content: 'one\n' }),
        tool('read', file('old.txt')),
        tool('edit', { ...file('old.txt'), oldString: 'b', newString: 'B\nB2' }),
        tool('write', { ...file('two.txt'), content: 'one\n2\n' }),
        tool('task', { description: 'sub', prompt: 'help', subagent_type: 'general' }),
        { text: 'Done.' },
      ],
    },
  ],
  otherwise: [{ text: 'There is nothing to do.' }],
};

interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache: { readonly read: number; readonly write: number };
}

interface Exported {
  readonly info: { readonly tokens: Tokens };
  readonly messages: readonly { readonly info: { readonly role: string; readonly tokens?: Tokens } }[];
}

const sumOf = ({ input, output, reasoning, cache }: Tokens): number =>
  input + output + reasoning + cache.read + cache.write;

describe('the numbers of a session', () => {
  it('are those of opencode’s own export, and no line is counted that opencode did not note', async function () {
    this.timeout(300_000);
    const folders = new TestFolders();
    try {
      writeFileSync(join(folders.workspace, 'old.txt'), 'a\nb\nc\n');
      await scriptedSessions(folders, scenario, ['count']);
      const sessions = await sessionsOf(folders);
      const [session] = sessions.filter(({ parent }) => parent === '');
      const [child, ...others] = sessions.filter(({ parent }) => parent === session?.id);
      assert.ok(session && child && others.length === 0);
      const { startScript, log } = openingOptions();
      const sandbox = sessionSandbox(folders, {
        mayWrite: true,
        workspace: identified(folders.workspace),
        insideEnvironment: editorEnvironment,
      });
      const texts = await editSessions(
        (onLine) => startScript(sandbox, 'sessionEditor.mjs', onLine),
        [session, child].map(({ id }) => ({ exportSession: { session: id, isSanitized: false } })),
        (line) => log.push(line),
      );
      for (const [index, listed] of [session, child].entries()) {
        const { info, messages } = JSON.parse(texts[index] ?? '') as Exported;
        const answers = messages.flatMap(({ info: { tokens } }) => tokens ?? []);
        assert.equal(listed.sums?.messages, messages.length);
        // what `opencode stats` adds up, and what the row of the session says
        assert.equal(
          listed.tokens,
          answers.map(sumOf).reduce((one, other) => one + other),
        );
        assert.equal(listed.tokens, sumOf(info.tokens));
        // what opencode's terminal calls the context
        const last = answers.findLast(({ output }) => output > 0);
        assert.ok(last && sumOf(last) > 1000);
        assert.equal(listed.sums.context, sumOf(last));
      }
      assert.deepEqual(session.sums?.files, [
        { file: 'new.txt', additions: 3, deletions: 0 },
        { file: 'two.txt', additions: null, deletions: null },
        { file: 'old.txt', additions: 2, deletions: 1 },
      ]);
      assert.equal(session.sums.fileCount, 3);
      assert.equal(session.sums.additions, null);
      assert.deepEqual(child.sums?.files, []);
      assert.equal(child.sums.additions, 0);
    } finally {
      folders.remove();
    }
  });
});
