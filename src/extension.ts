import type * as vscode from 'vscode';
import type { SandboxedAgentApi } from './api';
import { registerCollectDiagnostics, type DiagnosticsState } from './commands/collectDiagnostics';
import { commandIds } from './contributions';
import { Container } from './container';
import { message } from './sandbox/message';
import { UserError } from './sandbox/userError';
import { Log } from './ui/log';
import { Say } from './ui/say';

/** Called by VS Code once a window has started. @returns nothing when the extension could not be started */
export function activate(context: vscode.ExtensionContext): SandboxedAgentApi | undefined {
  const log = new Log();
  const say = new Say(log);
  const diagnostics: DiagnosticsState = { log: () => log.recent(), sandboxes: () => [] };
  context.subscriptions.push(log, registerCollectDiagnostics(context, say, diagnostics));
  try {
    const container = new Container(context, log, say);
    context.subscriptions.push(container);
    diagnostics.sandboxes = () => container.sandboxes();
    void container.restore();
    return container.api;
  } catch (error) {
    diagnostics.activationError = error;
    void say.error(notStarted(error));
    return undefined;
  }
}

function notStarted(cause: unknown): UserError {
  return new UserError(
    'activation.failed',
    message('Sandboxed Agent could not be started. Reload the window; if that does not help, report it.'),
    { kind: 'runCommand', command: commandIds.collectDiagnostics },
    { cause },
  );
}
