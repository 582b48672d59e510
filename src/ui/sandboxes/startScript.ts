import { join } from 'node:path';
import type { ExtensionContext } from 'vscode';
import { ScriptProcess } from '../../launch/scriptProcess';
import type { SessionSandbox } from '../../sandbox/sessionPlan';
import type { Log } from '../log';

/** Starts one of our scripts in a sandbox. */
export type StartScript = (
  sandbox: SessionSandbox,
  script: string,
  onLine: (line: string) => void,
) => Promise<ScriptProcess>;

/** Has scripts kept by this editor's own Node. @param context of the extension, whose bundles they are */
export function scriptStarter(context: Pick<ExtensionContext, 'asAbsolutePath'>, log: Log): StartScript {
  const keeper = context.asAbsolutePath(join('dist', 'scriptKeeper.js'));
  return (sandbox, script, onLine) =>
    ScriptProcess.start(
      {
        ...{ nodePath: process.execPath, keeper, environment: process.env, sandbox, script },
        onLog: (line) => log.warn(line),
      },
      onLine,
    );
}
