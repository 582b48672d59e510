import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';

/**
 * Makes folders within folders, step by step: together their path may be longer than the kernel takes in one go.
 * @param name of each of them
 * @param files that the deepest one gets
 */
export function makeDeep(
  root: string,
  name: string,
  depth: number,
  files: readonly string[] = ['file'],
): void {
  let folder = openSync(root, 'r');
  for (let level = 0; level < depth; level += 1) {
    const path = `/proc/self/fd/${folder}/${name}`;
    mkdirSync(path);
    const next = openSync(path, 'r');
    closeSync(folder);
    folder = next;
  }
  for (const file of files) writeFileSync(`/proc/self/fd/${folder}/${file}`, 'deep');
  closeSync(folder);
}
