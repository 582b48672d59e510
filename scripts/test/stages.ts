import { join } from 'node:path';
import { repositoryFolder } from '../setup/paths';
import type { Part } from './parts';

/** One process that runs tests and leaves their results. */
export interface TestRun {
  readonly title: string;
  /** a compiled program and its arguments, for this Node.js */
  readonly argv: readonly string[];
  /** catches a run that hangs: every single test has its own, shorter time limit */
  readonly timeoutMinutes: number;
  /** the same for these compiled files only; undefined for a run in which what failed is not tried again */
  readonly again?: (files: readonly string[]) => TestRun;
}

export interface Stage {
  /** what the stage cannot do without */
  readonly needs: readonly Part[];
  /** `options` are mocha's own, from the command line */
  readonly runs: (options: readonly string[]) => readonly TestRun[];
}

const compiled = join(repositoryFolder, 'out/test');

/** A busy machine takes a few minutes for the longest of the usual runs. */
const usualTimeoutMinutes = 20;
/** A browser and a VS Code of its own for each of its suites. */
const uiTimeoutMinutes = 45;

/** In the order in which they run: the quick ones first. */
export const stages: Readonly<Record<string, Stage>> = {
  unit: { needs: [], runs: mocha('unit', 60) },
  sandbox: { needs: ['apptainer', 'images', 'registry', 'vscodeServer'], runs: mocha('sandbox', 60) },
  extension: {
    needs: ['apptainer', 'images', 'vscode', 'oldestVscode'],
    runs: (options) =>
      ['workspace', 'poisoned', 'emptyWindow', 'oldest'].map((name) => inVscode(name, options)),
  },
  ui: {
    needs: ['apptainer', 'images', 'vscodeServer', 'oldestVscode'],
    // a whole VS Code in a browser is at the mercy of the machine: what fails there has a second try, which is said
    runs: (options) => [runWithSecondTry({ folder: 'ui', seconds: 180, minutes: uiTimeoutMinutes }, options)],
  },
  vsix: { needs: ['apptainer', 'images', 'vscodeServer'], runs: mocha('vsix', 180) },
  long: {
    needs: ['apptainer', 'images', 'registry', 'debianPackages', 'vscodeServer'],
    runs: (options) => [
      mochaRun(
        'long, sandbox',
        { folder: 'sandbox', seconds: 60, minutes: uiTimeoutMinutes, isLong: true },
        options,
      ),
      mochaRun('long, ui', { folder: 'ui', seconds: 180, minutes: uiTimeoutMinutes, isLong: true }, options),
    ],
  },
  soak: { needs: ['apptainer', 'images', 'vscodeServer'], runs: mocha('soak', 60, 24 * 60) },
};

/** Tests in files called so take long for what they may find: they run before a release, not with every change. */
const longTests = '**/*.long.test.js';

/**
 * `npm test` without arguments. The packaged extension is a stage of its own, because it takes a release build; the
 * long tests and the soak, because they take a quarter of an hour and more.
 */
export const usualStages: readonly string[] = ['unit', 'sandbox', 'extension', 'ui'];

function mocha(folder: string, seconds: number, minutes = usualTimeoutMinutes): Stage['runs'] {
  return (options) => [mochaRun(folder, { folder, seconds, minutes }, options)];
}

function runWithSecondTry(run: MochaRun, options: readonly string[]): TestRun {
  return {
    ...mochaRun(run.folder, run, options),
    again: (files) => mochaRun(`${run.folder}, second try`, { ...run, files }, options),
  };
}

interface MochaRun {
  /** below test/ */
  readonly folder: string;
  /** for each test */
  readonly seconds: number;
  /** for the run */
  readonly minutes: number;
  /** only what takes long */
  readonly isLong?: boolean;
  /** compiled ones; default: all of the folder */
  readonly files?: readonly string[];
}

function mochaRun(
  title: string,
  { folder, seconds, minutes, isLong = false, files }: MochaRun,
  options: readonly string[],
): TestRun {
  const place = join(compiled, folder);
  const usual = [join(place, '**/*.test.js'), '--ignore', join(place, longTests)];
  return {
    title,
    timeoutMinutes: minutes,
    argv: [
      join(repositoryFolder, 'node_modules/mocha/bin/mocha.js'),
      ...['--forbid-only', '--forbid-pending'],
      // a failed test may have left something open that would keep the process alive
      '--exit',
      ...['--timeout', String(seconds * 1000)],
      ...['--reporter', join(compiled, 'support/reporter.js')],
      ...options,
      ...(files ?? (isLong ? [join(place, longTests)] : usual)),
    ],
  };
}

/** `name` is a folder below test/extension/: what to open, and the test files to run there. */
function inVscode(name: string, options: readonly string[]): TestRun {
  return {
    title: `extension, ${name}`,
    timeoutMinutes: usualTimeoutMinutes,
    argv: [join(compiled, 'extension/main.js'), name, ...options],
  };
}
