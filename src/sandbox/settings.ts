import { settingKeys, settingName } from '../contributions';
import { message } from './message';
import type { NetworkMode } from './specification';
import { UserError } from './userError';

/** The network modes, the strictest first. */
const networkModes: readonly NetworkMode[] = ['none', 'restricted', 'open'];

/** What programs in a sandbox may do with the clipboard, the strictest first. */
const clipboardModes = ['off', 'write'] as const;
type ClipboardMode = (typeof clipboardModes)[number];

/**
 * The value that counts for a setting that exists both for the user and for a workspace: the strictest of the two.
 * The agent can write the workspace's settings, so those can only tighten the sandbox.
 * @param strictestFirst all values
 * @param setting its full name, for the error
 * @param values what was found; undefined where it is not set
 * @returns undefined when it is set nowhere
 * @throws UserError for a value that does not exist (VS Code does not check it)
 */
export function strictest<Value extends string>(
  strictestFirst: readonly Value[],
  setting: string,
  values: readonly unknown[],
): Value | undefined {
  const known: readonly unknown[] = strictestFirst;
  const set = values.filter((value) => value !== undefined);
  if (set.some((value) => !known.includes(value))) {
    throw new UserError(
      'setting.invalid',
      message(
        'The setting {0} has a value that does not exist. Choose one of: {1}.',
        setting,
        strictestFirst.join(', '),
      ),
      { kind: 'openSetting', setting },
    );
  }
  return strictestFirst.find((value) => set.includes(value));
}

/**
 * The network mode that counts.
 * @param userValue the user's setting (or that of the remote machine), or the default
 * @throws UserError
 */
export function strictestNetwork(userValue: unknown, workspaceValue: unknown): NetworkMode {
  return strictest(networkModes, settingName(settingKeys.network), [userValue, workspaceValue]) ?? 'none';
}

/** What a sandbox may do with the clipboard. @param userValue the user's setting, or the default @throws UserError */
export function clipboardMode(userValue: unknown): ClipboardMode {
  return strictest(clipboardModes, 'sandboxedAgent.clipboard', [userValue]) ?? 'off';
}
