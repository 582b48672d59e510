import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from './browser';
import { type Server, type ServerOptions, startServer } from './server';

/** What a desktop VS Code takes on its command line. */
export interface LaunchOptions {
  /** folder to open, or a `.code-workspace` file; an empty window without it */
  readonly folder?: string;
  /** whether VS Code may show what it shows to somebody who opens it: a README, a welcome */
  readonly greets?: boolean;
  /** folders of extensions to load from source */
  readonly extensionDevelopmentPaths?: readonly string[];
  /** module whose `run` is called in the extension host */
  readonly extensionTestsPath?: string;
}

export interface WorkbenchOptions extends ServerOptions, LaunchOptions {
  /** called with the page before it loads the workbench */
  readonly preparePage?: (page: Page, server: Server) => Promise<void>;
}

/** A page that shows a workbench, with all that stands behind it. */
export interface Workbench {
  readonly page: Page;
  readonly server: Server;
  /** Ends browser and server. */
  close(): Promise<void>;
}

/** The address under which the server shows the workbench with these options. */
export function workbenchAddress(
  server: Pick<Server, 'authority' | 'token'>,
  options: LaunchOptions,
): string {
  const remote = (path: string) =>
    `vscode-remote://${server.authority}${encodeURI(resolve(path)).replace(/[?#]/g, encodeURIComponent)}`;
  const payload = [
    ...(options.greets === true ? [] : [['skipWelcome', 'true']]),
    ...(options.extensionDevelopmentPaths ?? []).map((path) => ['extensionDevelopmentPath', remote(path)]),
    ...(options.extensionTestsPath === undefined
      ? []
      : [['extensionTestsPath', remote(options.extensionTestsPath)]]),
  ];
  const query = new URLSearchParams({ tkn: server.token });
  if (options.folder === undefined) {
    query.set('ew', 'true');
  } else {
    query.set(options.folder.endsWith('.code-workspace') ? 'workspace' : 'folder', resolve(options.folder));
  }
  query.set('payload', JSON.stringify(payload));
  return `http://${server.authority}/?${query.toString()}`;
}

/** Starts server and browser and opens the workbench, without waiting for it to be drawn. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const [server, browser] = await Promise.allSettled([startServer(options), launchBrowser()]);
  const close = async () => {
    await (browser.status === 'fulfilled' ? closeBrowser(browser.value) : undefined);
    await (server.status === 'fulfilled' ? server.value.stop() : undefined);
  };
  try {
    if (server.status === 'rejected') {
      throw server.reason;
    }
    if (browser.status === 'rejected') {
      throw browser.reason;
    }
    const context = await browser.value.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMilliseconds);
    await options.preparePage?.(page, server.value);
    await page.goto(workbenchAddress(server.value, options));
    return { page, server: server.value, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** For one step in the page, its first paint among them, on a busy machine. */
const patienceMilliseconds = 60_000;

async function closeBrowser(browser: Browser): Promise<void> {
  try {
    await browser.close();
  } catch {
    // it crashed before
  }
}
