import { settingKeys, settingName } from '../contributions';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { makeImageFile } from './imageFile';
import { checkImageSource } from './imageSource';
import { explainPullFailure } from './pullErrors';
import { runPull } from './pullProcess';
import type { PullRequest } from './pullRequest';
import { requireRoom } from './pullRoom';
import { isSifFile, sifArchitecture } from './sif';

const sourceSetting = settingName(settingKeys.imageSource);

/**
 * Pulls an image. Two pulls at once, perhaps on two machines with one home, keep out of each other's way.
 * @throws Cancelled when `signal` was aborted, UserError `pull.…` or `imageSource.…`
 */
export async function pullImage(request: PullRequest): Promise<void> {
  const source = checkImageSource(request.source);
  await requireRoom(request.target, request.environment);
  await makeImageFile(request, async (partial, temporaryFolder) => {
    const output = await runPull({ ...request, source }, partial, temporaryFolder);
    await requireImage(partial, source);
    await requireArchitecture(partial, request, output);
    await request.inspect?.(partial);
  });
}

async function requireImage(partial: string, source: string): Promise<void> {
  if (await isSifFile(partial)) return;
  throw new UserError(
    'pull.notSif',
    message(
      'What was pulled from {0} is not an image that Apptainer can run. Choose another one in the setting {1}.',
      source,
      sourceSetting,
    ),
    { kind: 'openSetting', setting: sourceSetting },
  );
}

/** Apptainer takes the only image that there is, whatever it was asked for, and says that all went well (measured). */
async function requireArchitecture(
  partial: string,
  { source, target }: PullRequest,
  output: string,
): Promise<void> {
  const architecture = await sifArchitecture(partial);
  const isOther = architecture !== undefined && architecture !== process.arch;
  if (isOther || wrongArchitecture.test(output)) {
    const cause = new Error(`the image is for ${architecture ?? 'another processor'}`);
    throw explainPullFailure('does not match build arch', source, target, cause);
  }
}

const wrongArchitecture = /does not match build arch/;
