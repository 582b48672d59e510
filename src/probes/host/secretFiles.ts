import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeSecret } from '../report';
import { secretNames, type SecretName } from '../seen';

/** One random text for each name. */
export function makeSecrets(): Record<SecretName, string> {
  return Object.fromEntries(secretNames.map((name) => [name, makeSecret(randomBytes(16))])) as Record<
    SecretName,
    string
  >;
}

/** Makes files that nobody else can read; fails when one is there already. Their folders are made, too. */
export function writePrivate(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
  }
}

/** As {@link writePrivate}, in a place that need not be there, or not be ours. @returns whether it worked */
export function tryWritePrivate(
  folder: string | undefined,
  name: string,
  content: string,
): string | undefined {
  if (folder === undefined || !existsSync(folder)) return undefined;
  try {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return path;
  } catch {
    return undefined;
  }
}
