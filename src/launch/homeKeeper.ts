import * as v from 'valibot';
import { tryParseJson } from '../sandbox/parseAs';
import { finite, integer } from '../sandbox/schemas';
import { message } from '../sandbox/message';
import { Cancelled, UserError } from '../sandbox/userError';
import type { ScriptProcess } from './scriptProcess';

/** File name of the bundled keeper, see scripts/build.mjs. */
export const keeperScript = 'sessionKeeper.mjs';

/** A database of some GB on a slow network file system takes minutes to be read or copied. */
const orderMilliseconds = 15 * 60_000;

// a sparse file can say that it has more bytes than a disk
const count = v.pipe(integer, v.minValue(0));

const inspection = v.object({
  /**
   * `none`: there is no database yet; `unknown`: it can't be looked at, for example because it is locked; `misplaced`:
   * a link or something else is in the place of opencode's folder
   */
  state: v.picklist(['none', 'good', 'malformed', 'unknown', 'misplaced']),
  bytes: count,
  /** of opencode in the image; empty when it was not asked for, or is not known */
  version: v.pipe(v.string(), v.regex(/^[\w.+-]{0,40}$/)),
});
export type Inspection = v.InferOutput<typeof inspection>;

const repaired = v.object({
  sessions: count,
  messages: count,
  parts: count,
  /** so many times something could not be read */
  gaps: count,
  /** the log of what was not merged yet could not be read at all */
  withoutLog: v.boolean(),
});
export type Repaired = v.InferOutput<typeof repaired>;

/** What a keeper may answer: no text of it is ever shown. */
const keeperLine = v.union([
  v.object({ id: finite, inspected: inspection }),
  v.object({ id: finite, repaired }),
  v.object({ id: finite, done: v.literal(true) }),
  v.object({ id: finite, failed: v.pipe(v.string(), v.maxLength(1000)) }),
]);
type KeeperLine = v.InferOutput<typeof keeperLine>;

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
        const line = tryParseJson(keeperLine, text);
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

function notKept(): UserError {
  return new UserError(
    'home.notKept',
    message('That could not be done with opencode’s database. The log says more.'),
    { kind: 'showLog' },
  );
}
