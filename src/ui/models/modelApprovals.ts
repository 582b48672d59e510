import type { Memento } from 'vscode';
import { Cancelled } from '../../sandbox/userError';

/** What somebody says about a server that is not approved: to use it, to start without it, or not to start. */
export type ModelAnswer = 'use' | 'without' | 'refuse';
export type ModelQuestion = (baseUrl: string, signal: AbortSignal) => Promise<ModelAnswer>;

/** More than anybody approves for one folder. */
const maximumApprovals = 200;

/**
 * The servers of models to which prompts from a folder may go. Kept in the extension's own state: the agent can write
 * the workspace, and with it the file that names the server. Folders are real paths, base URLs are normalised. The
 * state is where the window is, and so is common to all machines that are reached from there: a folder is one of one
 * machine.
 */
export class ModelApprovals {
  /**
   * @param machine as `machineIdentity` gives it
   * @param question asks about one server
   * @param onApprove called after something was approved
   */
  constructor(
    private readonly memory: Pick<Memento, 'get' | 'update'>,
    private readonly machine: string,
    private readonly question: ModelQuestion,
    private readonly onApprove: () => void = () => undefined,
  ) {}

  /** The base URLs that are approved for a folder. */
  of(folder: string): readonly string[] {
    const stored = this.memory.get<unknown>(this.keyOf(folder));
    return Array.isArray(stored) ? stored.filter((entry) => typeof entry === 'string') : [];
  }

  /** Approves a server for a folder. */
  async approve(folder: string, baseUrl: string): Promise<void> {
    const approved = [...new Set([...this.of(folder), baseUrl])];
    await this.memory.update(this.keyOf(folder), approved.slice(-maximumApprovals));
    this.onApprove();
  }

  /**
   * Asks about each of these servers that is not approved for a folder yet. One that the user wants to do without
   * stays as it is, and so is withheld from the agent of this start.
   * @param signal takes the question away
   * @throws Cancelled when the user does not want to start
   */
  async ask(folder: string, baseUrls: readonly string[], signal: AbortSignal): Promise<void> {
    const approved = this.of(folder);
    for (const baseUrl of new Set(baseUrls.filter((url) => !approved.includes(url)))) {
      const answer = await this.question(baseUrl, signal);
      if (answer === 'refuse') {
        throw new Cancelled('a model was not approved');
      }
      if (answer === 'use') {
        await this.approve(folder, baseUrl);
      }
    }
  }

  private keyOf(folder: string): string {
    return `modelApprovals ${this.machine} ${folder}`;
  }
}
