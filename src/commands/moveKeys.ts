import { wantedModels } from '../launch/modelAccess';
import { withoutKeys } from '../opencode/configurationEdits';
import { editProjectConfiguration, readProjectConfiguration } from '../opencode/projectConfiguration';
import { message } from '../sandbox/message';
import type { Services } from './services';

/**
 * Puts the keys that stand in a folder's opencode.json into secret storage, and takes them out of the file; the
 * gateway adds them then. A key that is stored already for the same server stays as it is.
 * @param folder real path
 */
export async function moveKeys({ models: { secrets }, say }: Services, folder: string): Promise<void> {
  for (const { provider, baseUrl } of wantedModels(await readProjectConfiguration(folder))) {
    if (provider.literalKey !== undefined && (await secrets.modelKey(baseUrl)) === undefined) {
      await secrets.setModelKey(baseUrl, provider.literalKey);
    }
  }
  await editProjectConfiguration(folder, 'all', (text = '') => withoutKeys(text));
  void say.information(
    message(
      'The key is in secret storage now, and not in opencode.json any more. If the file was ever shared or committed, revoke the key at its provider and set a new one.',
    ),
  );
}
