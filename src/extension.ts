import type * as vscode from 'vscode';
import type { SandboxedAgentApi } from './api';
import { Container } from './container';

/** Called by VS Code once a window has started. */
export function activate(context: vscode.ExtensionContext): SandboxedAgentApi {
  const container = new Container(context);
  context.subscriptions.push(container);
  void container.restore();
  return container.api;
}
