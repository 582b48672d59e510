import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as vscode from 'vscode';
import type { SandboxedAgentApi } from '../../../src/api';
import { commandIds } from '../../../src/contributions';
import { readProc } from '../../../src/host/procfs';
import { requireVariable } from '../../support/environment';
import { processesBelow } from '../../support/processes';
import { ScreenReader } from '../../support/screenReader';
import {
  activateExtension,
  assertGoneAfter,
  onlySandbox,
  openFolder,
  type RunningSandbox,
  statusSays,
} from '../extensionUnderTest';
import {
  canary,
  poisonFolderVariable,
  poisonVariables,
  poisonWorkspace,
  programsPoisonedByWorkspace,
  programsRunByPoison,
} from './poison';

describe('an extension host whose environment is poisoned', () => {
  const folder = requireVariable(poisonFolderVariable);
  let api: SandboxedAgentApi;
  let sandbox: RunningSandbox;

  before(async () => {
    // VS Code itself drops some of them on the way to its extension host
    Object.assign(process.env, poisonVariables(folder));
    poisonWorkspace(openFolder());
    api = await activateExtension();
  });

  it('would do harm to whoever inherits it', () => {
    spawnSync('squashfuse_ll', ['control']);
    spawnSync('node', ['--eval', '0']);
    const programs = programsRunByPoison(folder).join('\n');
    assert.match(programs, /^squashfuse_ll control$/m);
    assert.match(programs, /--eval 0/);
    assert.match(spawnSync('cat', ['/proc/self/maps'], { encoding: 'utf8' }).stdout, new RegExp(canary));
  });

  it('starts an agent that is isolated all the same', async () => {
    await vscode.commands.executeCommand(commandIds.start);
    await statusSays(api, /^Agent: isolated$/);
    sandbox = await onlySandbox(api);
    const screen = await ScreenReader.attach(sandbox.connection);
    // without a model opencode soon asks for one, over its prompt
    await screen.shows(/Ask anything|Connect a provider/);
  });

  it('hands no poison to any process of the sandbox', () => {
    const traces = processesBelow(sandbox.summary.supervisorPid).flatMap(({ pid, commandLine }) =>
      ['environ', 'mountinfo', 'maps', 'cmdline']
        .filter((file) => readProc(`${pid}/${file}`)?.includes(canary))
        .map((file) => `${file} of ${commandLine}`),
    );
    assert.deepEqual(traces, []);
  });

  it('lets no poison run a program for the sandbox', () => {
    assert.deepEqual(
      programsRunByPoison(folder).filter((program) => /supervisor|squashfuse_ll (?!control)/.test(program)),
      [],
    );
  });

  it('keeps the workspace out of the program that the sandbox starts with', () => {
    assert.deepEqual(
      programsPoisonedByWorkspace(openFolder()).filter((program) => program.includes('companion')),
      [],
    );
  });

  it('ends as cleanly as any', () =>
    assertGoneAfter(sandbox, () => vscode.commands.executeCommand(commandIds.stop)));
});
