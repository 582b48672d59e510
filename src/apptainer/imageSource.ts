import { settingKeys, settingName } from '../contributions';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';

const setting = settingName(settingKeys.imageSource);
const sourcePattern = /^(docker|oras|library|https):\/\/[^\s\p{C}]{1,500}$/u;
/** `user:password@` in front of the host: would be seen in the list of processes */
const credentialsPattern = /^\w+:\/\/[^/]*@/;

/**
 * Checks from where an image shall be pulled.
 * @returns the source, ready to be an argument of `apptainer pull`
 * @throws UserError `imageSource.invalid`, `imageSource.credentials`
 */
export function checkImageSource(source: string): string {
  if (!sourcePattern.test(source)) {
    throw new UserError(
      'imageSource.invalid',
      message(
        'The setting {0} must start with docker://, oras://, library:// or https:// and hold no spaces.',
        setting,
      ),
      { kind: 'openSetting', setting },
    );
  }
  if (credentialsPattern.test(source)) {
    throw new UserError(
      'imageSource.credentials',
      message(
        'The setting {0} must not hold a user name or password. Log in with “apptainer registry login” instead.',
        setting,
      ),
      { kind: 'openSetting', setting },
    );
  }
  return source;
}
