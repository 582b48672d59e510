import { type Browser, chromium } from 'playwright-core';
import { requireVariable } from '../support/environment';

/** Starts a headless Chromium that reaches 127.0.0.1 and nothing else. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: requireVariable('CHROMIUM'),
    headless: true,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      // the page is our own, and Chromium's sandbox does not start in a container or without user namespaces
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  });
}
