import { setTimeout as delay } from 'node:timers/promises';
import type { Dimensions } from './protocol';
import type { Screen } from './screen';
import type { TerminalScreen } from './terminalClients';

/** Windows have the first output by then: what loads holds up everything. */
const loadMilliseconds = 5;

/**
 * A {@link Screen} that is made when somebody asks for it, at the latest with the first output. To load xterm.js takes
 * 20 ms of processor time (measured), which Apptainer can use better while it starts a container, and a program that
 * prints nothing needs none.
 */
export class LazyScreen implements TerminalScreen {
  private screen: Screen | undefined;
  private loading: Promise<void> | undefined;
  private isDisposed = false;
  /** for when it is loaded, in their order */
  private readonly waiting: ((screen: Screen) => void)[] = [];
  /** UTF-16 units that wait to be written to it */
  private unwritten = 0;

  /** See {@link Screen}. */
  constructor(
    private size: Dimensions,
    private readonly onAnswer: (answer: string) => void,
  ) {}

  /** Makes it now: a program that asks its terminal waits for the answer. Resolves when it is there. */
  prepare(): Promise<void> {
    this.loading ??= this.load(this.size);
    return this.loading;
  }

  get pending(): number {
    return this.unwritten + (this.screen?.pending ?? 0);
  }

  get dimensions(): Dimensions {
    return this.size;
  }

  write(data: string, parsed: () => void): void {
    this.unwritten += data.length;
    this.use((screen) => {
      this.unwritten -= data.length;
      screen.write(data, parsed);
    });
  }

  resize(dimensions: Dimensions): void {
    this.size = dimensions;
    if (this.loading) this.use((screen) => screen.resize(dimensions));
  }

  whenParsed(callback: () => void): void {
    if (this.loading) this.use((screen) => screen.whenParsed(callback));
    else queueMicrotask(callback);
  }

  /** Before the first output there is nothing on it. */
  snapshot(): string {
    return this.screen?.snapshot() ?? '';
  }

  dispose(): void {
    this.isDisposed = true;
    this.screen?.dispose();
  }

  private use(action: (screen: Screen) => void): void {
    if (this.screen) return action(this.screen);
    this.waiting.push(action);
    const { size } = this;
    this.loading ??= delay(loadMilliseconds).then(() => this.load(size));
  }

  private async load(size: Dimensions): Promise<void> {
    const { Screen: LoadedScreen } = await import('./screen.js');
    if (this.isDisposed) return;
    this.screen = new LoadedScreen(size, this.onAnswer);
    for (const action of this.waiting.splice(0)) action(this.screen);
  }
}
