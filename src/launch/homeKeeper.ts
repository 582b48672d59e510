import * as z from 'zod';
import { message } from '../sandbox/message';
import { Cancelled, UserError } from '../sandbox/userError';
import type { ScriptProcess } from './scriptProcess';

/** File name of the bundled keeper, see scripts/build.mjs. */
export const keeperScript = 'sessionKeeper.mjs';

/** A database of some GB on a slow network file system takes minutes to be read or copied. */
const orderMilliseconds = 15 * 60_000;

// a sparse file can say that it has more bytes than a disk
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const inspection = z.object({
  /**
   * `none`: there is no database yet; `unknown`: it can't be looked at, for example because it is locked; `misplaced`:
   * a link or something else is in the place of opencode's folder
   */
  state: z.enum(['none', 'good', 'malformed', 'unknown', 'misplaced']),
  bytes: count,
  /** of opencode in the image; empty when it was not asked for, or is not known */
  version: z.string().regex(/^[\w.+-]{0,40}$/),
});
export type Inspection = z.infer<typeof inspection>;

const repaired = z.object({
  sessions: count,
  messages: count,
  parts: count,
  /** so many times something could not be read */
  gaps: count,
  /** the log of what was not merged yet could not be read at all */
  withoutLog: z.boolean(),
});
export type Repaired = z.infer<typeof repaired>;

/** What a keeper may answer: no text of it is ever shown. */
const keeperLine = z.union([
  z.object({ id: z.number(), inspected: inspection }),
  z.object({ id: z.number(), repaired }),
  z.object({ id: z.number(), done: z.literal(true) }),
  z.object({ id: z.number(), failed: z.string().max(1000) }),
]);
type KeeperLine = z.infer<typeof keeperLine>;

/** Starts the sandbox of a keeper. */
export type StartKeeper = (
  onLine: (line: string) => void,
) => Promise<Pick<ScriptProcess, 'send' | 'close' | 'ended'>>;

/** Looks after opencode's database in one home, by a script in a sandbox of its own. */
export class HomeKeeper {
  private lastOrder = 0;
  private hear: (line: string) => void = () => undefined;

  private constructor(
    private readonly onLog: (line: string) => void,
    private readonly signal: AbortSignal,
  ) {}

  private script: Awaited<ReturnType<StartKeeper>> | undefined;

  /**
   * Does work with a keeper, whose sandbox is gone afterwards.
   * @param onLog is told what went wrong, which may be text from inside
   * @throws what `start` and `work` throw
   */
  static async use<Result>(
    start: StartKeeper,
    { onLog, signal }: { readonly onLog: (line: string) => void; readonly signal: AbortSignal },
    work: (keeper: HomeKeeper) => Promise<Result>,
  ): Promise<Result> {
    const keeper = new HomeKeeper(onLog, signal);
    keeper.script = await start((line) => keeper.hear(line));
    try {
      return await work(keeper);
    } finally {
      await keeper.script.close();
    }
  }

  /**
   * Looks whether the database is in order, and finishes first what an earlier keeper could not.
   * @param aside where what is in the way goes
   * @throws UserError `home.notKept` @throws Cancelled
   */
  async inspect(withVersion: boolean, aside: string): Promise<Inspection> {
    const line = await this.order({ inspect: { withVersion, aside } });
    if ('inspected' in line) return line.inspected;
    throw notKept();
  }

  /** Makes a backup, which is complete when it is there. @param name of the file @throws UserError, Cancelled */
  async backUp(name: string): Promise<void> {
    await this.order({ backUp: { name } });
  }

  /** Puts what can be read into a new database. @param aside where the damaged one goes @throws UserError, Cancelled */
  async repair(aside: string): Promise<Repaired> {
    const line = await this.order({ repair: { aside } });
    if ('repaired' in line) return line.repaired;
    throw notKept();
  }

  /** Puts a backup in the place of the database. @throws UserError, Cancelled */
  async restore(name: string, aside: string): Promise<void> {
    await this.order({ restore: { name, aside } });
  }

  /** Moves the database out of the way. @throws UserError, Cancelled */
  async startFresh(aside: string): Promise<void> {
    await this.order({ startFresh: { aside } });
  }

  private order(what: object): Promise<KeeperLine> {
    this.lastOrder += 1;
    const id = this.lastOrder;
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const fail = (why: string): void => {
        if (isSettled) return;
        isSettled = true;
        this.onLog(`opencode’s database was not looked after: ${why}`);
        reject(notKept());
      };
      const timer = setTimeout(() => fail('it took too long'), orderMilliseconds);
      const cancel = (): void => reject(new Cancelled('it was cancelled'));
      this.signal.addEventListener('abort', cancel, { once: true });
      if (this.signal.aborted) cancel();
      this.hear = (text) => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', cancel);
        const line = parseLine(text);
        if (line?.id !== id) fail('the answer could not be understood');
        else if ('failed' in line) fail(JSON.stringify(line.failed));
        else {
          isSettled = true;
          resolve(line);
        }
      };
      void this.script?.ended.then(() => {
        clearTimeout(timer);
        fail('the sandbox has ended');
      });
      this.script?.send({ id, ...what });
    });
  }
}

function parseLine(text: string): KeeperLine | undefined {
  try {
    return keeperLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function notKept(): UserError {
  return new UserError(
    'home.notKept',
    message('That could not be done with opencode’s database. The log says more.'),
    { kind: 'showLog' },
  );
}
