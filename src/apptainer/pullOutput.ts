import { type Message, message } from '../sandbox/message';
import { type Bar, barOf, percentOf } from './pullBars';

/** How far a pull is. */
export interface PullProgress {
  /** what it does now, with numbers as far as Apptainer tells them */
  readonly text: Message;
  /** of the whole pull, 0 to 100; never less than before */
  readonly percent: number;
}

type Stage = 'asking' | 'downloading' | 'unpacking' | 'installing' | 'testing' | 'writing' | 'copying';

/** What Apptainer says when it begins a stage of a pull or a build (1.2 to 1.5). */
const stageBegins: readonly (readonly [RegExp, Stage])[] = [
  [/Converting OCI blobs|Starting build/, 'asking'],
  [/Fetching OCI image|Downloading (library|oras|net|shub|network) ?image/i, 'downloading'],
  [/Extracting (OCI|local) image/, 'unpacking'],
  [/Running post scriptlet/, 'installing'],
  [/Running testscript/, 'testing'],
  [/Creating SIF file/, 'writing'],
  [/Using cached SIF image/, 'copying'],
];

const stageTexts: Readonly<Record<Stage, Message>> = {
  asking: message('Asking the registry…'),
  downloading: message('Downloading…'),
  unpacking: message('Unpacking…'),
  installing: message('Installing (%post)…'),
  testing: message('Testing (%test)…'),
  writing: message('Writing the image…'),
  copying: message('Copying the image, which was pulled before…'),
};

/** Where in the whole each stage begins and ends, in percent: the network takes the most. */
const stageShares: Readonly<Record<Stage, readonly [number, number]>> = {
  asking: [0, 2],
  downloading: [2, 75],
  unpacking: [75, 80],
  installing: [80, 80],
  testing: [80, 80],
  writing: [80, 100],
  copying: [0, 100],
};

/** over so long a speed is taken */
const speedMilliseconds = 500;
/** so long nothing happens before that is said: a slow registry answers sooner */
const silentMilliseconds = 5000;
/** a line that goes on for longer is no line of Apptainer's */
const longestLine = 8192;

const escapes = /\x1b\[[0-9;?]*[ -/]*[@-~]/g;
/** goes up to draw all bars anew */
const redraw = /\x1b\[\d+A/;

/**
 * Reads what `apptainer pull` prints, on a terminal or not, and makes of it what one wants to know: its lines, and how
 * far it is. Pure but for the clock, which is given.
 */
export class PullOutput {
  private rest = '';
  private bars: Bar[] = [];
  private stage: Stage = 'asking';
  private hasBegun = false;
  private percent = 0;
  private since = { time: 0, bytes: 0 };
  private speed: number | undefined;
  /** when something happened last, and how far what is counted was then */
  private news: { readonly time: number; readonly done: number; readonly total: number };

  constructor(
    private readonly onProgress: (progress: PullProgress) => void,
    private readonly onLine: (line: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.news = { time: now(), done: 0, total: 0 };
  }

  /** Takes the next piece of the output. */
  push(text: string): void {
    const lines = (this.rest + text).split(/[\r\n]+/);
    this.rest = (lines.pop() ?? '').slice(-longestLine);
    lines.forEach((line) => this.line(line));
  }

  /** To be called each second: says when nothing comes from the registry, which Apptainer asks again without a word. */
  tick(): void {
    const { time, done, total } = this.news;
    const silence = this.now() - time;
    if (silence < silentMilliseconds) return;
    const seconds = Math.floor(silence / 1000);
    if (this.stage === 'asking') {
      this.say(
        message(
          'The registry has not answered for {0} s. It may take no more pulls for now; it is asked again for up to two minutes.',
          seconds,
        ),
      );
    } else if (this.stage === 'downloading' && done < total) {
      this.say(message('Downloading: nothing has come for {0} s', seconds));
    }
  }

  private line(raw: string): void {
    if (redraw.test(raw)) {
      this.tellBytes();
      this.bars = [];
    }
    const line = raw.replace(escapes, '').trim();
    if (line === '') return;
    const bar = barOf(line);
    const percent = percentOf(line);
    if (bar) {
      this.bars.push(bar);
    } else if (percent !== undefined) {
      this.tellPercent(percent);
    } else {
      this.words(line);
    }
  }

  private words(line: string): void {
    this.onLine(line);
    const stage = stageBegins.find(([pattern]) => pattern.test(line))?.[1];
    if (stage !== undefined && (stage !== this.stage || !this.hasBegun)) {
      this.hasBegun = true;
      this.stage = stage;
      this.bars = [];
      this.news = { time: this.now(), done: 0, total: 0 };
      this.tell(stageTexts[stage], 0);
    }
  }

  private tellBytes(): void {
    const done = this.bars.reduce((sum, { doneBytes }) => sum + doneBytes, 0);
    const total = this.bars.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
    if (total === 0) return;
    const time = this.now();
    if (!this.isNews(time, done, total)) return;
    this.takeSpeed(time, done);
    const sizes = [done, total].map((bytes) => (bytes / 1e6).toFixed(1));
    const text =
      this.speed === undefined
        ? message('Downloading: {0} of {1} MB', ...sizes)
        : message('Downloading: {0} of {1} MB, {2} MB/s', ...sizes, (this.speed / 1e6).toFixed(1));
    this.tell(text, done / total);
  }

  /** Bars are drawn anew all the time, whether anything comes or not. @returns false after a silence that goes on */
  private isNews(time: number, done: number, total: number): boolean {
    if (done === this.news.done && total === this.news.total)
      return time - this.news.time < silentMilliseconds;
    this.news = { time, done, total };
    return true;
  }

  private takeSpeed(time: number, bytes: number): void {
    if (this.since.time === 0 || bytes < this.since.bytes) {
      this.since = { time, bytes };
    } else if (time - this.since.time >= speedMilliseconds) {
      this.speed = ((bytes - this.since.bytes) / (time - this.since.time)) * 1000;
      this.since = { time, bytes };
    }
  }

  private tellPercent(percent: number): void {
    if (!this.isNews(this.now(), percent, 100)) return;
    const text =
      this.stage === 'writing'
        ? message('Writing the image: {0} %', percent)
        : message('Downloading: {0} %', percent);
    this.tell(text, percent / 100);
  }

  private tell(text: Message, part: number): void {
    const [begin, end] = stageShares[this.stage];
    this.percent = Math.max(this.percent, begin + (end - begin) * Math.min(1, part));
    this.say(text);
  }

  private say(text: Message): void {
    this.onProgress({ text, percent: this.percent });
  }
}
