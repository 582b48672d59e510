#!/usr/bin/env node
// Stands in for the desktop `code` program: `@vscode/test-electron` starts it with desktop arguments, it runs the
// suite in the VS Code server shown in a headless browser, and ends with the suite's exit code.
import { existsSync } from 'node:fs';
import { parseDesktopArguments } from './desktopArguments';
import { hostEnvironmentVariable, hostReleaseVariable } from './environment';
import { runExtensionTests } from './extensionTests';

/** The suite's own tests have their time limits; this one catches a VS Code that hangs. */
const timeoutMilliseconds = 10 * 60_000;

async function main(): Promise<number> {
  const { extensionTestsPath, ...options } = parseDesktopArguments(process.argv.slice(2));
  if (extensionTestsPath === undefined) {
    throw new Error('this launcher only runs tests: --extensionTestsPath is missing');
  }
  if (options.folder !== undefined && !existsSync(options.folder)) {
    throw new Error(`no such folder: ${options.folder}`);
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stop.abort();
    });
  }
  const environment = JSON.parse(process.env[hostEnvironmentVariable] ?? '{}') as NodeJS.ProcessEnv;
  return runExtensionTests({
    ...options,
    release: process.env[hostReleaseVariable] === 'oldest' ? 'oldest' : 'newest',
    extensionTestsPath,
    environment,
    timeoutMilliseconds,
    signal: stop.signal,
  });
}

async function launch(): Promise<void> {
  const code = await main().catch((error: unknown) => {
    console.error('VS Code host:', error);
    return 1;
  });
  // our parent lets go of the pipes as soon as we end: drain them first
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

void launch();
