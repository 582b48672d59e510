import { findOpencodeCopy } from '../apptainer/opencodeCopies';
import { identified } from '../host/fileIdentity';
import type { SandboxSpecification } from '../sandbox/specification';
import type { PrepareRequest } from './prepareRequest';

/** The image, and the copy of its opencode where there is one that is as it was recorded. */
export async function imageParts(
  { settings, kind, program, storageDirectory, uid }: PrepareRequest,
  path: string,
  workspace: string,
): Promise<Pick<SandboxSpecification, 'image' | 'opencodeCopy'>> {
  const image = await identified(path);
  const isUsed = kind !== 'run' || program?.[0] === 'opencode';
  if (settings.opencodeCopy !== true || !isUsed) return { image };
  const opencodeCopy = await findOpencodeCopy({ storageDirectory, uid, image, workspace });
  return { image, ...(opencodeCopy && { opencodeCopy }) };
}
