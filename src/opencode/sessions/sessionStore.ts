import type { Listed, Problem, ReaderLine, SessionLine, SumsLine } from './lines';

/** A session with what is known of its messages, which comes later. */
export interface Session extends SessionLine {
  readonly sums?: SumsLine;
}

/** A file that a session changed, as opencode names it. */
export type ChangedFile = SumsLine['files'][number];

/** Why there is nothing to show: what the reader found, or what became of the reader. */
export type SessionProblem = Problem | 'tooSlow' | 'tooMuch' | 'lost' | 'noOpencode';

/** Enough for 20,000 sessions and their sums. */
const mostSessions = 20_000;

/** What is known of the sessions in one home, by what the reader has told. Pure. */
export class SessionStore {
  private readonly byId = new Map<string, Session>();
  private said: Listed | undefined;
  private found: SessionProblem | undefined;

  /** In no order. */
  get sessions(): readonly Session[] {
    return [...this.byId.values()];
  }

  get size(): number {
    return this.byId.size;
  }

  find(id: string): Session | undefined {
    return this.byId.get(id);
  }

  /** Undefined until the first listing is there. */
  get listed(): Listed | undefined {
    return this.said;
  }

  get problem(): SessionProblem | undefined {
    return this.found;
  }

  /** @returns whether there is something new to show */
  apply(line: ReaderLine): boolean {
    if ('sessions' in line) {
      this.found = undefined;
      line.sessions.forEach((session) => this.put(session));
      return line.sessions.length > 0;
    }
    if ('sums' in line) {
      return line.sums.filter((sums) => this.addSums(sums)).length > 0;
    }
    if ('listed' in line) {
      line.listed.gone.forEach((id) => this.byId.delete(id));
      const isNew =
        JSON.stringify({ ...this.said, gone: [] }) !== JSON.stringify({ ...line.listed, gone: [] });
      this.said = line.listed;
      const hadProblem = this.found !== undefined;
      this.found = undefined;
      return isNew || hadProblem || line.listed.gone.length > 0;
    }
    if ('problem' in line) {
      this.fail(line.problem);
      return true;
    }
    return false;
  }

  /** Nothing that is known counts any more: neither what was told nor what the reader thinks that we know. */
  fail(problem: SessionProblem): void {
    this.clear();
    this.found = problem;
  }

  /** Another reader tells everything anew; what it does not tell is gone. */
  clear(): void {
    this.byId.clear();
    this.said = undefined;
    this.found = undefined;
  }

  private put(session: SessionLine): void {
    const known = this.byId.get(session.id);
    if (!known && this.byId.size >= mostSessions) return;
    this.byId.set(session.id, known?.sums ? { ...session, sums: known.sums } : session);
  }

  private addSums(sums: SumsLine): boolean {
    const known = this.byId.get(sums.id);
    if (!known || JSON.stringify(known.sums) === JSON.stringify(sums)) return false;
    this.byId.set(sums.id, { ...known, sums });
    return true;
  }
}
