// The extension and what it runs, as tests in the extension host see them.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { SandboxedAgentApi } from '../../src/api';
import { connectSandbox } from '../../src/launch/connect';
import type { SandboxConnection } from '../../src/launch/connection';
import type { SandboxSummary } from '../../src/supervisor/protocol';
import { type KnownProcess, processesBelow, stillRunning } from '../support/processes';
import { runDirectories } from '../support/runDirectories';
import { waitUntil } from '../support/waitUntil';

/** Design: "everything is gone within 1 s". */
const goneMilliseconds = 1000;

/** Activates the extension and returns its API. */
export async function activateExtension(): Promise<SandboxedAgentApi> {
  const extension = vscode.extensions.getExtension<SandboxedAgentApi>('sandboxed-agent.sandboxed-agent');
  assert(extension, 'the extension is not installed');
  return await extension.activate();
}

/** The folder that is open. */
export function openFolder(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert(folder, 'no folder is open');
  return folder.uri.fsPath;
}

/** Waits until the status bar says `text`. */
export async function statusSays(api: SandboxedAgentApi, text: RegExp): Promise<void> {
  await waitUntil(
    `the status is ${text}`,
    // what tests change in the folder while a sandbox runs is found, too
    () => text.test(api.statusText().replace(/, \d+ findings?$/, '')),
    60_000,
    () => api.statusText(),
  );
}

/** Says yes to the question whether prompts may go where opencode.json leads, and waits for the sandbox. */
export async function approveModel(api: SandboxedAgentApi): Promise<void> {
  await waitUntil('the model is approved, and a sandbox runs', async () => {
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    return api.sandboxes().length === 1;
  });
}

/** A sandbox that runs, with everything of it that can be seen from outside. */
export interface RunningSandbox {
  readonly summary: SandboxSummary;
  /** supervisor, Apptainer, the image's file server, and all that runs inside */
  readonly processes: readonly KnownProcess[];
  readonly runDirectory: string;
  /** a connection of the test's own */
  readonly connection: SandboxConnection;
}

/** Waits for the only sandbox of this window and connects to it. */
export async function onlySandbox(api: SandboxedAgentApi): Promise<RunningSandbox> {
  const [summary, ...others] = await waitUntil('a sandbox runs', () => {
    const sandboxes = api.sandboxes();
    return sandboxes.length > 0 && sandboxes;
  });
  assert(summary);
  assert.deepEqual(others, []);
  const [run, ...otherRuns] = runDirectories();
  assert(run);
  assert.deepEqual(otherRuns, []);
  return {
    summary,
    processes: processesBelow(summary.supervisorPid),
    runDirectory: run.path,
    connection: await connectSandbox(run.supervisorSocket),
  };
}

/** Ends a sandbox by `end` and asserts that within a second nothing of it is left. */
export async function assertGoneAfter(sandbox: RunningSandbox, end: () => unknown): Promise<void> {
  // what the program has started meanwhile counts too
  const processes = processesBelow(sandbox.summary.supervisorPid);
  assert(
    processes.length >= sandbox.processes.length - 1 && processes.length > 3,
    'the sandbox does not run',
  );
  void end();
  const left = () => [
    ...stillRunning([...sandbox.processes, ...processes]).map(
      ({ pid, commandLine }) => `${pid} ${commandLine}`,
    ),
    ...(existsSync(sandbox.runDirectory) ? [sandbox.runDirectory] : []),
  ];
  await waitUntil(
    'nothing is left',
    () => left().length === 0,
    goneMilliseconds,
    () => left().join('\n'),
  );
}

/** Opens a terminal with this profile, as the button + of the panel does when it is the default one. */
export async function openDefaultProfile(title: string): Promise<void> {
  const settings = vscode.workspace.getConfiguration('terminal.integrated.defaultProfile');
  await settings.update('linux', title, vscode.ConfigurationTarget.Global);
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.new');
  } finally {
    await settings.update('linux', undefined, vscode.ConfigurationTarget.Global);
  }
}
