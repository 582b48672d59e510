import { message } from './message';
import { UserError } from './userError';

/** Variables that the user gives to the agent; a value of null lies in secret storage. */
export type VariableSetting = Readonly<Record<string, string | null>>;

const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Far below the 128 KiB that the kernel takes for one variable (MAX_ARG_STRLEN of <linux/binfmts.h>). */
const maximumLength = 32_768;

/**
 * Names that Apptainer, the loader, Bun, shells, git or opencode act on when a program starts, in any case: with them
 * a value would not inform a program, but run another one, lead its requests elsewhere, or undo what we set.
 */
const actedOn = [
  /^(?:APPTAINER|SINGULARITY|LD_|DYLD_|GLIBC_|MALLOC_|BUN_|NODE_|NPM_CONFIG_|OPENCODE|GIT_|XDG_|BASH_|SSL_|LC_)/i,
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|TMPDIR|TMP|TEMP|TERM|COLORTERM|LANG|IFS|ENV|CDPATH|SHELLOPTS|PROMPT_COMMAND|PS4)$/i,
  /^(?:HTTP|HTTPS|ALL|NO|FTP|RSYNC)_PROXY$/i,
];

/** Why a variable of this name can't be given to the agent, if so. @param setting full name, which the error opens */
export function refuseVariableName(name: string, setting: string): UserError | undefined {
  const action = { kind: 'openSetting', setting } as const;
  if (!variableName.test(name)) {
    return new UserError(
      'variable.name',
      message(
        'The setting {0} has a name that no variable can have. Use letters, digits and underscores.',
        setting,
      ),
      action,
    );
  }
  if (actedOn.some((pattern) => pattern.test(name))) {
    return new UserError(
      'variable.actedOn',
      message(
        'The variable {0} can’t be given to the agent: programs act on it when they start. Remove it from the setting {1}.',
        name,
        setting,
      ),
      action,
    );
  }
  return undefined;
}

/** Whether a text can be the value of a variable: one line. */
export function isVariableValue(text: string): boolean {
  return text.length <= maximumLength && !/[\u0000-\u0008\u000a-\u001f\u007f]/.test(text);
}

/**
 * Reads the setting for variables.
 * @param value what VS Code has, which it does not check
 * @param setting its full name, for the errors
 * @throws UserError `setting.invalid`, `variable.…`
 */
export function readVariables(value: unknown, setting: string): VariableSetting {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(setting);
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  for (const [name, content] of entries) {
    const refusal = refuseVariableName(name, setting);
    if (refusal !== undefined) throw refusal;
    if (content !== null && !(typeof content === 'string' && isVariableValue(content)))
      throw invalid(setting);
  }
  return Object.fromEntries(entries) as VariableSetting;
}

function invalid(setting: string): UserError {
  return new UserError(
    'setting.invalid',
    message(
      'The setting {0} must hold names of variables, each with a text of one line, or with null when its value is in secret storage.',
      setting,
    ),
    { kind: 'openSetting', setting },
  );
}
