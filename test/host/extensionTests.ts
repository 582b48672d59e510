import type { Page } from 'playwright-core';
import { isNoise } from './noise';
import type { Server } from './server';
import { openWorkbench, type Workbench, type WorkbenchOptions } from './workbench';

export interface ExtensionTestOptions extends Omit<WorkbenchOptions, 'preparePage'> {
  /** module that exports `run(): Promise<void>` */
  readonly extensionTestsPath: string;
  readonly timeoutMilliseconds: number;
  /** ends the run early */
  readonly signal: AbortSignal;
}

interface RunEnd {
  readonly code: number;
  /** what ended the run, when it was not the suite */
  readonly reason?: string;
}

/** Takes the first end that is reported; later ones only follow from it. */
type EndRun = (end: RunEnd) => void;

/** Exit codes: as timeout(1) has it, and as a shell reports SIGINT. */
const timedOut = 124;
const stopped = 130;

/**
 * Runs a suite in the extension host of a real VS Code. A browser page can take an extension host that died for one
 * that ended well: believe a 0 only when the suite has left its results (see runInVscode.ts).
 *
 * @returns the exit code: 0 passed, 1 failed, 124 timed out, 130 stopped
 */
export async function runExtensionTests(options: ExtensionTestOptions): Promise<number> {
  let opening: Promise<Workbench> | undefined;
  const { code, reason } = await new Promise<RunEnd>((end) => {
    const overdue = `no result within ${options.timeoutMilliseconds / 1000} s`;
    setTimeout(() => {
      end({ code: timedOut, reason: overdue });
    }, options.timeoutMilliseconds).unref();
    options.signal.addEventListener('abort', () => {
      end({ code: stopped, reason: 'stopped' });
    });
    opening = openWorkbench({ ...options, preparePage: (page, server) => listen(page, server, end) });
    opening.catch((error: unknown) => {
      end({ code: 1, reason: String(error) });
    });
  });
  if (reason !== undefined) {
    console.error(`VS Code host: ${reason}`);
  }
  await opening?.then(
    (workbench) => workbench.close(),
    () => undefined,
  );
  return code;
}

/** Prints what the extension host prints, and hears of every way in which the run can end. */
async function listen(page: Page, server: Server, end: EndRun): Promise<void> {
  // the workbench calls these two when it runs extension tests in a browser
  await page.exposeFunction('codeAutomationLog', (type: string, args: readonly unknown[]) => {
    if (!isNoise(String(args[0]))) {
      (type === 'error' || type === 'warn' ? console.error : console.log)(...args);
    }
  });
  await page.exposeFunction('codeAutomationExit', (code: number) => {
    end({ code });
  });
  page.on('crash', () => {
    end({ code: 1, reason: 'the browser page crashed' });
  });
  page.on('close', () => {
    end({ code: 1, reason: 'the browser page closed' });
  });
  server.onExit((result) => {
    end({ code: 1, reason: `the VS Code server ended (${result})` });
  });
  server.onLog((text) => {
    const exit = /Extension Host Process exited with code: (\S+), signal: (\w+)/.exec(text);
    if (exit !== null && (exit[1] !== '0' || exit[2] !== 'null')) {
      end({ code: 1, reason: exit[0] });
    }
  });
}
