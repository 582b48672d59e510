import type { Finding } from '../../guard/finding';
import { contentAt } from '../../guard/lookAtOne';
import type { WorkspaceGuard } from '../../guard/workspaceGuard';
import { message, type formatMessage, type Message } from '../../sandbox/message';

/** What is compared of a finding: two texts for a diff editor. */
export interface FindingTexts {
  readonly before: string;
  readonly now: string;
}

/** Reads what was there before and what is there now. @param render turns a message into text */
export async function findingTexts(
  guard: WorkspaceGuard,
  { path, mark, isGone }: Finding,
  render: typeof formatMessage,
): Promise<FindingTexts> {
  const known = guard.known(path);
  const kept = known?.kept === undefined ? undefined : await guard.store.kept(known.kept);
  const before = known === undefined ? '' : textOf(kept, notKept, render);
  if (isGone !== true && mark.kind !== 'file') return { before, now: render(kinds[mark.kind]) };
  const content = await contentAt(guard.workspace, path);
  // it may have been put back
  const isThere = isGone !== true || content !== undefined;
  return { before, now: isThere ? textOf(content, notShown, render) : '' };
}

function textOf(content: Buffer | undefined, instead: Message, render: typeof formatMessage): string {
  if (content === undefined) return render(instead);
  return content.includes(0)
    ? render(message('(not a text: {0} bytes)', content.length))
    : content.toString();
}

const notKept = message('(what was here before was not kept)');
const notShown = message('(too large to be shown, or it can’t be read)');

const kinds: Readonly<Record<'folder' | 'link' | 'special', Message>> = {
  folder: message('(a folder: open it in the Explorer to look at what is in it)'),
  link: message('(a symbolic link)'),
  special: message('(no ordinary file: a FIFO, a socket or a device)'),
};
