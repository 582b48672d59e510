import { ScriptProcess } from '../launch/scriptProcess';
import type { SessionSandbox } from '../sandbox/sessionPlan';
import type { Log } from './log';

/** Starts one of our scripts in a sandbox. */
export type StartScript = (
  sandbox: SessionSandbox,
  script: string,
  onLine: (line: string) => void,
) => Promise<ScriptProcess>;

/** Has scripts kept by this editor's own Node. @param keeper path of the bundled keeper of scripts */
export function scriptStarter(keeper: string, log: Log): StartScript {
  return (sandbox, script, onLine) =>
    ScriptProcess.start(
      {
        ...{ nodePath: process.execPath, keeper, environment: process.env, sandbox, script },
        onLog: (line) => log.warn(line),
      },
      onLine,
    );
}
