import type { NodeData, TreeNode } from './sessionTree';

/** An element of the tree. The same object stands for the same thing, so that VS Code keeps the selection. */
export class SessionNode {
  /** undefined until they are asked for */
  children: readonly SessionNode[] | undefined;

  constructor(public found: TreeNode) {}

  get id(): string {
    return this.found.id;
  }

  get data(): NodeData {
    return this.found.data;
  }
}

/**
 * The elements that VS Code knows: those of the nodes that it has asked for. The rest of a long list costs nothing when
 * something changes.
 */
export class SessionNodes {
  private byId = new Map<string, SessionNode>();
  private top: readonly SessionNode[] = [];

  get roots(): readonly SessionNode[] {
    return this.top;
  }

  childrenOf(node: SessionNode): readonly SessionNode[] {
    node.children ??= node.found.children.map((found) => {
      const child = this.byId.get(found.id) ?? new SessionNode(found);
      child.found = found;
      this.byId.set(found.id, child);
      return child;
    });
    return node.children;
  }

  /** Takes another tree. @returns the elements that look different now; undefined: there are others at the top */
  update(roots: readonly TreeNode[]): SessionNode[] | undefined {
    const changed: SessionNode[] = [];
    const byId = new Map<string, SessionNode>();
    const adopt = (found: TreeNode): SessionNode => {
      const node = this.byId.get(found.id) ?? new SessionNode(found);
      const children = node.children && found.children.map(adopt);
      if (!looksSame(found, node.found) || (children && !isSame(children, node.children))) changed.push(node);
      node.found = found;
      node.children = children;
      byId.set(found.id, node);
      return node;
    };
    const before = this.top;
    this.top = roots.map(adopt);
    this.byId = byId;
    return isSame(this.top, before) ? changed : undefined;
  }
}

function isSame(one: readonly SessionNode[], other: readonly SessionNode[] = []): boolean {
  return one.length === other.length && one.every((node, index) => node === other[index]);
}

/** The store makes a new object for what has changed. */
function looksSame(one: TreeNode, other: TreeNode): boolean {
  return one.hasChildren === other.hasChildren && isSameData(one.data, other.data);
}

function isSameData(one: NodeData, other: NodeData): boolean {
  if (one.kind === 'session' && other.kind === 'session') {
    return one.session === other.session && one.isRunning === other.isRunning;
  }
  if (one.kind === 'file' && other.kind === 'file') return one.file === other.file;
  return JSON.stringify(one) === JSON.stringify(other);
}
