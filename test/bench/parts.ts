import { getPart, type Part } from '../../scripts/test/parts';
import { testVariable } from '../support/environment';

/** Gets Apptainer and the images, and what else is named; a test stage is told where they are. */
export async function getTestParts(...more: readonly Part[]): Promise<void> {
  if (process.env[testVariable.image] !== undefined) return;
  for (const part of ['apptainer', 'images', ...more] as const) {
    Object.assign(process.env, await getPart(part));
  }
}
