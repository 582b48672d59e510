// Runs in the extension host: what `@vscode/test-electron` is given as extensionTestsPath.
import Mocha from 'mocha';
import { join } from 'node:path';
import { requireVariable } from '../support/environment';
import { testFilesVariable, testPatternVariable } from './environment';

/** VS Code, a container and opencode have to start within one test. */
const testTimeoutMilliseconds = 180_000;

/** Called by VS Code. Rejects when a test failed. */
export async function run(): Promise<void> {
  const pattern = process.env[testPatternVariable];
  const mocha = new Mocha({
    ui: 'bdd',
    forbidOnly: true,
    forbidPending: true,
    timeout: testTimeoutMilliseconds,
    reporter: join(__dirname, '../support/reporter.js'),
    ...(pattern === undefined ? {} : { grep: pattern }),
  });
  for (const file of JSON.parse(requireVariable(testFilesVariable)) as string[]) {
    mocha.addFile(file);
  }
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) {
    throw new Error(`${failures} failed`);
  }
}
