import * as vscode from 'vscode';
import { profileIds } from '../../contributions';
import { message } from '../../sandbox/message';
import { Cancelled, UserError } from '../../sandbox/userError';
import type { InteractiveKind, SandboxLauncher } from '../sandboxes/sandboxLauncher';
import type { Say } from '../say';
import type { SandboxTerminals } from './terminals';
import { chooseFolder } from '../window';

/**
 * Registers the terminal profiles. VS Code can't hide a profile where it does not work, and shows an error of its own
 * for a provider that has none to give: the terminal says what stands in the way, and so does the same notification
 * that the command shows.
 */
export function registerTerminalProfiles(
  launcher: SandboxLauncher,
  terminals: SandboxTerminals,
  say: Say,
): vscode.Disposable {
  const provide = async (kind: InteractiveKind): Promise<vscode.TerminalProfile> => {
    const onError = (error: unknown): void => void say.error(error);
    try {
      return await launcher.profileFor(kind, await chooseFolder(), onError);
    } catch (error) {
      onError(error);
      const greeting = message('No sandbox can be started here.');
      const { terminal, profile } = terminals.openByProfile({ kind, workspace: '', greeting });
      if (error instanceof Cancelled) {
        terminal.closeAtOnce();
      } else {
        terminal.fail(error instanceof UserError ? error.description : message('The log says why.'));
      }
      return profile;
    }
  };
  const register = (id: string, kind: InteractiveKind): vscode.Disposable =>
    vscode.window.registerTerminalProfileProvider(id, { provideTerminalProfile: () => provide(kind) });
  return vscode.Disposable.from(register(profileIds.agent, 'agent'), register(profileIds.shell, 'shell'));
}
