import type { ChangedFile, Session } from '../../opencode/sessions/sessionStore';
import type { DeletedSession } from '../../launch/deletedSessions';

/** How the sessions of a folder are ordered, and so into which days they fall. */
export type SessionOrder = 'updated' | 'created' | 'cost';

/** A node of the tree. A node looks different when its `data` is another object. */
export class TreeNode {
  private made: readonly TreeNode[] | undefined;

  /**
   * @param id stays the same while the node stands for the same thing
   * @param make makes its children when they are asked for: most nodes of a long list are never opened
   */
  constructor(
    readonly id: string,
    readonly data: NodeData,
    readonly hasChildren = false,
    private readonly make: () => readonly TreeNode[] = () => [],
  ) {}

  get children(): readonly TreeNode[] {
    return (this.made ??= this.make());
  }
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
  return folders.map((one) => {
    const { folder, label, state } = one;
    const children = folderChildren(one, options);
    const data: NodeData = { kind: 'folder', folder, label, state };
    return new TreeNode(`folder ${folder}`, data, children.length > 0, () => children);
  });
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
    ...group(folder, 'archived', archived, nodeOf),
    ...group(folder, 'deleted', deleted, (one) => deletedNode(folder, one)),
  ];
}

function group<Item>(
  { folder }: FolderSessions,
  kind: 'archived' | 'deleted',
  items: readonly Item[],
  nodeOf: (item: Item) => TreeNode,
): TreeNode[] {
  if (items.length === 0) return [];
  const data: NodeData = { kind, folder, count: items.length };
  return [new TreeNode(`${kind} ${folder}`, data, true, () => items.map(nodeOf))];
}

function deletedNode({ folder }: FolderSessions, deleted: DeletedSession): TreeNode {
  return new TreeNode(`deleted ${folder} ${deleted.id}`, { kind: 'deletedSession', folder, deleted });
}

/** A day in which a clock is set forward has a few hours less than 24. */
const shortestDay = 20 * 60 * 60 * 1000;

/** @param sessions in their order */
function dayNodes(
  { folder }: FolderSessions,
  sessions: readonly Session[],
  { order, dayOf }: TreeOptions,
  nodeOf: (session: Session) => TreeNode,
): TreeNode[] {
  const days = new Map<number, Session[]>();
  let start = Infinity;
  for (const session of sessions) {
    const time = keyOf(session, order);
    // a calendar takes longer to ask than all the rest
    if (time < start || time >= start + shortestDay) start = dayOf(time);
    const day = days.get(start);
    if (day) day.push(session);
    else days.set(start, [session]);
  }
  return [...days].map(([start, ofDay]) => {
    const data: NodeData = { kind: 'day', folder, start, count: ofDay.length };
    return new TreeNode(`day ${folder} ${start}`, data, true, () => ofDay.map(nodeOf));
  });
}

/** Sub-agents first, then the files that the session changed. */
function sessionNode(ofFolder: FolderSessions, session: Session, family: Family): TreeNode {
  const { folder, agentsSince } = ofFolder;
  const files = session.sums?.files ?? [];
  return new TreeNode(
    `session ${folder} ${session.id}`,
    { kind: 'session', folder, session, isRunning: isRunning(session, agentsSince) },
    files.length > 0 || family.hasChildren(session),
    () => [
      ...family.childrenOf(session).map((child) => sessionNode(ofFolder, child, family)),
      ...files.map(
        (file) =>
          new TreeNode(`file ${folder} ${session.id} ${file.file}`, { kind: 'file', folder, session, file }),
      ),
    ],
  );
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

  hasChildren({ id }: Session): boolean {
    return this.children.has(id);
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
