import { extname } from 'node:path';
import { message } from './message';
import { UserError } from './userError';

/** By extension, in small letters: what runs a file that does not say it itself. */
const interpreters: Readonly<Record<string, string>> = { '.py': 'python3', '.sh': 'sh', '.r': 'Rscript' };

/**
 * What runs a file in an image: the interpreter that its first line names, else the usual one for its extension. Both
 * are programs of the image.
 * @param path absolute
 * @param firstLine of the file, or the first bytes of it as a text
 * @returns a program and its arguments
 * @throws UserError `file.noInterpreter`
 */
export function fileProgram(path: string, firstLine: string): string[] {
  const named = shebang(firstLine);
  if (named !== undefined) return [...named, path];
  const interpreter = interpreters[extname(path).toLowerCase()];
  if (interpreter !== undefined) return [interpreter, path];
  throw new UserError(
    'file.noInterpreter',
    message(
      'It is not known what runs {0}. Files that end with .py, .sh or .R can be run, and those whose first line names a program, such as #!/usr/bin/env python3.',
      path,
    ),
  );
}

/** The interpreter and its one argument, as the kernel reads them (execve(2)); `env -S` takes several. */
function shebang(firstLine: string): string[] | undefined {
  const [, interpreter, rest = ''] =
    /^#![ \t]*(\/\S+)(?:[ \t]+([^\r\n]*?))?[ \t]*(?:\r?\n|$)/.exec(firstLine) ?? [];
  if (interpreter === undefined) return undefined;
  const isSplit = /\/env$/.test(interpreter) && rest.startsWith('-S');
  if (isSplit)
    return [
      interpreter,
      ...rest
        .slice(2)
        .trim()
        .split(/[ \t]+/),
    ];
  return rest === '' ? [interpreter] : [interpreter, rest];
}
