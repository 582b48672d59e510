import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { SandboxedAgentApi } from '../../../src/api';
import { commandIds } from '../../../src/contributions';
import { readProc } from '../../../src/host/procfs';
import { requireVariable } from '../../support/environment';
import { emptyPrompt } from '../../support/opencodePrompt';
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

  it('starts an agent that is isolated all the same', async () => {
    await vscode.commands.executeCommand(commandIds.start);
    await statusSays(api, /^Agent: isolated, network open$/);
    sandbox = await onlySandbox(api);
    const screen = await ScreenReader.attach(sandbox.connection);
    await screen.shows(emptyPrompt);
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
    const programs = programsRunByPoison(folder);
    assert(
      programs.some((program) => program.includes('server-main.js')),
      'the poison does not work',
    );
    assert.deepEqual(
      programs.filter((program) => /supervisor|squashfuse/.test(program)),
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
