import type { ChangedFile, Session } from '../../opencode/sessions/sessionStore';
import type { DeletedSession } from '../../launch/deletedSessions';

/** How the sessions of a folder are ordered, and so into which days they fall. */
export type SessionOrder = 'updated' | 'created' | 'cost';

/** A node of the tree. A node looks different when its `data` is another object. */
export interface TreeNode {
  /** stays the same while the node stands for the same thing */
  readonly id: string;
  readonly data: NodeData;
  readonly children: readonly TreeNode[];
}

export type NodeData =
  | { readonly kind: 'folder'; readonly folder: string; readonly label: string; readonly state: FolderState }
  /** `start`: midnight of the day, milliseconds since the epoch */
  | { readonly kind: 'day'; readonly folder: string; readonly start: number; readonly count: number }
  | { readonly kind: 'archived' | 'deleted'; readonly folder: string; readonly count: number }
  | {
      readonly kind: 'session';
      readonly folder: string;
      readonly session: Session;
      readonly isRunning: boolean;
    }
  | { readonly kind: 'file'; readonly folder: string; readonly session: Session; readonly file: ChangedFile }
  | { readonly kind: 'deletedSession'; readonly folder: string; readonly deleted: DeletedSession };

/** What can be said of the sessions of a folder as a whole. */
export type FolderState = 'ready' | 'reading' | 'empty' | 'failed';

export interface FolderSessions {
  /** real path of the workspace folder */
  readonly folder: string;
  readonly label: string;
  readonly state: FolderState;
  readonly sessions: readonly Session[];
  readonly deleted: readonly DeletedSession[];
  /** when the running agents of the folder were started, milliseconds since the epoch; empty: none runs */
  readonly agentsSince: readonly number[];
}

export interface TreeOptions {
  /** what a title must contain, in any case; empty: all */
  readonly filter: string;
  readonly order: SessionOrder;
  /** midnight of the day of a time, in the time zone of the user */
  readonly dayOf: (time: number) => number;
}

/** The tree for folders: with several, each is a node; the sessions of one stand at the top. */
export function sessionTree(folders: readonly FolderSessions[], options: TreeOptions): TreeNode[] {
  const [only, ...others] = folders;
  if (only && others.length === 0) return folderChildren(only, options);
  return folders.map((folder) => ({
    id: `folder ${folder.folder}`,
    data: { kind: 'folder', folder: folder.folder, label: folder.label, state: folder.state },
    children: folderChildren(folder, options),
  }));
}

function folderChildren(folder: FolderSessions, options: TreeOptions): TreeNode[] {
  const family = new Family(folder.sessions);
  const filter = options.filter.trim().toLowerCase();
  const roots = family.roots
    .filter(
      (session) => filter === '' || family.some(session, ({ title }) => title.toLowerCase().includes(filter)),
    )
    .sort(
      (one, other) => keyOf(other, options.order) - keyOf(one, options.order) || (one.id < other.id ? -1 : 1),
    );
  const nodeOf = (session: Session): TreeNode => sessionNode(folder, session, family);
  const present = roots.filter(({ archived }) => archived === null);
  const archived = roots.filter((session) => session.archived !== null);
  const deleted = folder.deleted.filter(({ title }) => title.toLowerCase().includes(filter));
  return [
    ...(options.order === 'cost' ? present.map(nodeOf) : dayNodes(folder, present, options, nodeOf)),
    ...group(folder, 'archived', archived.map(nodeOf)),
    ...group(
      folder,
      'deleted',
      deleted.map((one) => ({
        id: `deleted ${folder.folder} ${one.id}`,
        data: { kind: 'deletedSession', folder: folder.folder, deleted: one },
        children: [],
      })),
    ),
  ];
}

function group(
  { folder }: FolderSessions,
  kind: 'archived' | 'deleted',
  children: readonly TreeNode[],
): TreeNode[] {
  return children.length === 0
    ? []
    : [{ id: `${kind} ${folder}`, data: { kind, folder, count: children.length }, children }];
}

function dayNodes(
  { folder }: FolderSessions,
  sessions: readonly Session[],
  { order, dayOf }: TreeOptions,
  nodeOf: (session: Session) => TreeNode,
): TreeNode[] {
  const days = new Map<number, TreeNode[]>();
  for (const session of sessions) {
    const start = dayOf(keyOf(session, order));
    const day = days.get(start);
    if (day) day.push(nodeOf(session));
    else days.set(start, [nodeOf(session)]);
  }
  return [...days].map(([start, children]) => ({
    id: `day ${folder} ${start}`,
    data: { kind: 'day', folder, start, count: children.length },
    children,
  }));
}

/** Sub-agents first, then the files that the session changed. */
function sessionNode(folder: FolderSessions, session: Session, family: Family): TreeNode {
  const files = session.sums?.files ?? [];
  return {
    id: `session ${folder.folder} ${session.id}`,
    data: {
      kind: 'session',
      folder: folder.folder,
      session,
      isRunning: isRunning(session, folder.agentsSince),
    },
    children: [
      ...family.childrenOf(session).map((child) => sessionNode(folder, child, family)),
      ...files.map((file): TreeNode => ({
        id: `file ${folder.folder} ${session.id} ${file.file}`,
        data: { kind: 'file', folder: folder.folder, session, file },
        children: [],
      })),
    ],
  };
}

/** opencode does not note whether it works: an unfinished answer that is younger than an agent is being written. */
function isRunning({ sums }: Session, agentsSince: readonly number[]): boolean {
  return sums?.isOpen === true && agentsSince.some((since) => sums.lastMessage >= since);
}

function keyOf(session: Session, order: SessionOrder): number {
  return session[order];
}

/** Who started whom. Whatever the database says of parents, every session is there once. */
class Family {
  private readonly children = new Map<string, Session[]>();
  readonly roots: Session[] = [];

  constructor(sessions: readonly Session[]) {
    const byId = new Map(sessions.map((session) => [session.id, session]));
    for (const session of sessions) {
      const parent = byId.get(session.parent);
      if (!parent || isOwnAncestor(session, byId)) {
        this.roots.push(session);
      } else {
        const siblings = this.children.get(parent.id);
        if (siblings) siblings.push(session);
        else this.children.set(parent.id, [session]);
      }
    }
  }

  /** In the order in which they were started. */
  childrenOf({ id }: Session): readonly Session[] {
    return [...(this.children.get(id) ?? [])].sort((one, other) => one.created - other.created);
  }

  some(session: Session, test: (session: Session) => boolean): boolean {
    return test(session) || this.childrenOf(session).some((child) => this.some(child, test));
  }
}

/** Sub-agents of sub-agents: opencode makes a level or two. A deeper one counts as a cycle. */
const deepest = 20;

function isOwnAncestor(session: Session, byId: ReadonlyMap<string, Session>): boolean {
  let ancestor = byId.get(session.parent);
  for (let depth = 0; ancestor; depth++) {
    if (ancestor === session || depth > deepest) return true;
    ancestor = byId.get(ancestor.parent);
  }
  return false;
}
