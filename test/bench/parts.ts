import { getPart } from '../../scripts/test/parts';
import { testVariable } from '../support/environment';

/** Gets Apptainer and the images; a test stage is told where they are. */
export async function getTestParts(): Promise<void> {
  if (process.env[testVariable.image] !== undefined) return;
  Object.assign(process.env, await getPart('apptainer'), await getPart('images'));
}
