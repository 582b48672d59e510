/**
 * What the extension host is to a sandbox: starts the one of the specification on standard input, says on standard
 * output where it is once it runs, and stays connected until it is killed.
 */
import { readFileSync } from 'node:fs';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { waitUntil } from '../../support/waitUntil';
import { startSandbox } from './sandboxUnderTest';

async function main(): Promise<void> {
  const specification = JSON.parse(readFileSync(0, 'utf8')) as SandboxSpecification;
  const { connection, supervisorPid, runDirectory } = await startSandbox(specification);
  await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
  process.stdout.write(`${JSON.stringify({ supervisorPid, runDirectory })}\n`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
