import * as vscode from 'vscode';
import type { HomeSessions } from '../../launch/homeSessions';
import type { MessageLine } from '../../opencode/sessions/lines';
import { message } from '../../sandbox/message';
import { Cancelled, UserError } from '../../sandbox/userError';
import { transcriptName } from './transcriptName';
import { transcriptText } from './transcriptText';
import { translate } from '../translate';
import type { SessionFolder, WindowSessions } from './windowSessions';

const scheme = 'sandboxed-agent-session';
/** So many messages are shown at first, and added each time. */
const portion = 200;
/** Pages that VS Code may ask for again. */
const mostShown = 20;

interface Shown {
  readonly folder: SessionFolder;
  readonly session: string;
  messages: readonly MessageLine[];
  hasEarlier: boolean;
  /** what the session looked like when it was read */
  state: string;
  /** VS Code holds the document; it lets go of one that only a preview shows */
  isOpen: boolean;
}

/**
 * Sessions as read-only documents, rendered by VS Code's own Markdown preview. They follow their session while it
 * goes on. VS Code lets go of a document that only a preview shows after some minutes; every call opens a new one.
 */
export class Transcripts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changing.event;
  private readonly shown = new Map<string, Shown>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private opened = 0;
  private last: string | undefined;
  private isFollowing = false;

  constructor(private readonly sessions: WindowSessions) {
    this.subscriptions = [
      this.changing,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.closed(uri)),
      sessions.onDidChange(() => void this.follow()),
    ];
  }

  /** Opens a session. @throws UserError when it can't be read */
  async show(folder: SessionFolder, session: string): Promise<void> {
    const messages = await readPart(folder.home, session, '');
    this.opened += 1;
    const begun = folder.home.store.find(session)?.created ?? 0;
    const name = transcriptName(vscode.l10n.t('Session'), { id: session, created: begun });
    const uri = vscode.Uri.from({ scheme, path: `/${name}.md`, query: String(this.opened) });
    this.last = uri.toString();
    this.shown.set(this.last, {
      ...{ folder, session, messages },
      hasEarlier: messages.length === portion,
      state: stateOf(folder, session),
      isOpen: true,
    });
    [...this.shown.keys()].slice(0, -mostShown).forEach((old) => this.shown.delete(old));
    await this.sessions.setLooking('transcripts', true);
    try {
      await vscode.commands.executeCommand('markdown.showPreview', uri);
    } catch {
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    }
  }

  /** Adds messages before those that are shown. @throws UserError */
  async showEarlier(): Promise<void> {
    const uri = this.last;
    const shown = uri === undefined ? undefined : this.shown.get(uri);
    if (uri === undefined || !shown) throw new Cancelled('no session is open');
    const earlier = await readPart(shown.folder.home, shown.session, shown.messages[0]?.id ?? '');
    shown.messages = [...earlier, ...shown.messages];
    shown.hasEarlier = earlier.length === portion;
    this.changing.fire(vscode.Uri.parse(uri));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const shown = this.shown.get(uri.toString());
    const session = shown?.folder.home.store.find(shown.session);
    if (!shown || !session) {
      // a page that VS Code has restored, or one whose session is gone
      return vscode.l10n.t('This page is of another time. Open the session again in the view Sessions.');
    }
    shown.isOpen = true;
    return transcriptText(session, shown.messages, {
      render: translate,
      timeName: (time) => new Date(time).toLocaleString(),
      hasEarlier: shown.hasEarlier,
    });
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private closed(uri: vscode.Uri): void {
    const shown = this.shown.get(uri.toString());
    if (!shown) return;
    shown.isOpen = false;
    if (![...this.shown.values()].some(({ isOpen }) => isOpen)) {
      void this.sessions.setLooking('transcripts', false);
    }
  }

  /** Reads the end again of what has changed. */
  private async follow(): Promise<void> {
    if (this.isFollowing) return;
    this.isFollowing = true;
    try {
      for (const [uri, shown] of this.shown) {
        const state = stateOf(shown.folder, shown.session);
        if (!shown.isOpen || state === shown.state || state === '') continue;
        shown.state = state;
        const latest = await readPart(shown.folder.home, shown.session, '').catch(() => []);
        const known = new Set(latest.map(({ id }) => id));
        shown.messages = [...shown.messages.filter(({ id }) => !known.has(id)), ...latest];
        this.changing.fire(vscode.Uri.parse(uri));
      }
    } finally {
      this.isFollowing = false;
    }
  }
}

/** All messages of a session. @throws UserError */
export async function readWholeTranscript(home: HomeSessions, session: string): Promise<MessageLine[]> {
  const messages: MessageLine[] = [];
  for (;;) {
    const part = await readPart(home, session, messages[0]?.id ?? '');
    messages.unshift(...part);
    if (part.length < portion) return messages;
  }
}

async function readPart(home: HomeSessions, session: string, before: string): Promise<MessageLine[]> {
  const messages = await home.transcript({ session, before, limit: portion });
  if (!messages) {
    throw new UserError(
      'sessions.transcriptUnreadable',
      message('The messages of this session can’t be read. The view Sessions says more after a refresh.'),
    );
  }
  return messages;
}

function stateOf({ home }: SessionFolder, id: string): string {
  const session = home.store.find(id);
  return session
    ? JSON.stringify([session.title, session.updated, session.sums?.messages, session.sums?.isOpen])
    : '';
}
