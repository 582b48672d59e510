import { copyFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as nodePty from 'node-pty';
import type { Canaries } from '../../src/probes/host/canaries';
import type { NetworkMode } from '../../src/sandbox/specification';
import type { SecretName } from '../../src/probes/seen';
import {
  encodePlan,
  type RunningTarget,
  type Target,
  type TargetDescription,
} from '../../src/probes/host/target';

/** A command line that somebody could type to run an agent. */
export interface SandboxCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** the folder in which it is typed */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** what of the canaries it can't live with, and the secret that is not hidden then */
  readonly without?: { readonly variables: RegExp; readonly secret: SecretName };
}

export interface CommandTargetOptions {
  readonly name: string;
  /** path of the bundled inside part */
  readonly script: string;
  /** of a SIF file, where there is one */
  readonly image: string;
  /** `restricted`: there is a proxy that lets through what is allowed */
  readonly network: NetworkMode;
  readonly describe: () => TargetDescription;
  /** @param program what is to run in the agent's place: the script in the workspace and its argument */
  readonly command: (canaries: Canaries, program: readonly string[]) => SandboxCommand;
}

/** The shell from which it is typed: it stays, and has the terminal and the descriptor of whoever typed it. */
const shell = 'exec 9<"$0"; "$@"; exit';

/** A sandbox that is a command, typed into a shell in a terminal. */
export class CommandTarget implements Target {
  readonly name: string;

  constructor(private readonly options: CommandTargetOptions) {
    this.name = options.name;
  }

  describe(): TargetDescription {
    return this.options.describe();
  }

  start(canaries: Canaries): Promise<RunningTarget> {
    const { script, image, command, network } = this.options;
    const inside = join(canaries.workspace, basename(script));
    copyFileSync(script, inside);
    writeFileSync(join(canaries.workspace, 'opencode.json'), configuration(canaries));
    canaries.planted('modelKey');
    const plan = canaries.plan({
      agentHome: undefined,
      image,
      modelProvider: undefined,
      mayTryRoutes: false,
    });
    const encodedPlan = encodePlan(plan);
    canaries.planted('descriptor');
    const { file, args, cwd, environment, without } = command(canaries, [inside, encodedPlan]);
    if (without) canaries.withhold(without.secret);
    const planted = Object.entries(canaries.environment).filter(
      ([name]) => without?.variables.test(name) !== true,
    );
    const pty = nodePty.spawn('/bin/sh', ['-c', shell, canaries.descriptorFolder, file, ...args], {
      ...{ name: 'xterm-256color', cols: 200, rows: 50, cwd },
      env: { ...environment, ...Object.fromEntries(planted) },
    });
    return Promise.resolve(asTarget(pty, { plan, encodedPlan, network, hostPids: [pty.pid] }));
  }
}

/** As the lesson has it: the agent needs the key, so it lies in the folder. */
function configuration({ model, modelKey }: Canaries): string {
  const { baseUrl } = model.upstream;
  return JSON.stringify({ provider: { lesson: { options: { baseURL: baseUrl, apiKey: modelKey } } } });
}

/** How long a shell may take to go when its terminal was closed. */
const closingMilliseconds = 500;

function asTarget(
  pty: nodePty.IPty,
  about: Pick<RunningTarget, 'plan' | 'encodedPlan' | 'network' | 'hostPids'>,
): RunningTarget {
  let early = '';
  let listener = (data: string): void => {
    early += data;
  };
  pty.onData((data) => listener(data));
  const ended = new Promise<string>((resolve) => {
    pty.onExit(({ exitCode, signal }) =>
      resolve(`exit code ${exitCode}, signal ${signal ?? 0}: ${early.slice(-2000)}`),
    );
  });
  return {
    ...about,
    ended,
    onOutput: (heard) => {
      listener = (data) => {
        early = (early + data).slice(-4000);
        heard(data);
      };
      heard(early);
    },
    send: (text) => pty.write(text),
    networkEntries: () => Promise.resolve([]),
    stop: async () => {
      // as a terminal does that is closed
      (pty as nodePty.IPty & { destroy(): void }).destroy();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, closingMilliseconds))]);
    },
  };
}
