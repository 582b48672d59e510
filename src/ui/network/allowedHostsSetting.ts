import * as v from 'valibot';
import { parseAs } from '../../sandbox/parseAs';
import { settingKeys, settingName } from '../../contributions';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import { readEntry } from './allowedHostsList';
import type { SettingsReader } from '../settings';

/** far more than anybody writes */
const maximumEntries = 1000;

const settingValue = v.pipe(v.array(v.string()), v.maxLength(maximumEntries));

/**
 * The hosts that the user allows for all folders. What a workspace says does not count: the agent can write that.
 * @returns entries as `gateway/hostEntry.ts` writes them
 * @throws UserError `setting.invalid`, which opens the setting
 */
export function readAllowedHosts(reader: SettingsReader): string[] {
  const found = reader.inspect<unknown>(settingKeys.allowedHosts);
  const value = found?.globalValue ?? [];
  try {
    return parseAs(settingValue, value).map(readEntry);
  } catch (error) {
    throw invalid(error);
  }
}

function invalid(cause: unknown): UserError {
  const setting = settingName(settingKeys.allowedHosts);
  return new UserError(
    'setting.invalid',
    message(
      'The setting {0} must be a list of hosts, each as in example.org, *.example.org or example.org:8080.',
      setting,
    ),
    { kind: 'openSetting', setting },
    { cause },
  );
}
