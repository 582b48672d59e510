import { message, type Message } from '../sandbox/message';

/** `severe`: runs by itself as soon as somebody opens, enters or looks at the folder. `notice`: runs when asked to. */
export type Severity = 'severe' | 'warning' | 'notice';

/** Why something is guarded; each is explained in one sentence. */
export type RuleId = keyof typeof rules;

export interface Rule {
  readonly severity: Severity;
  /** what it is, for a tree */
  readonly what: Message;
  /** why it matters, in one sentence */
  readonly why: Message;
}

const rules = {
  repository: {
    severity: 'severe',
    what: message('git repository'),
    why: message(
      'Git runs hooks and commands that a repository names, also when VS Code only looks for changes.',
    ),
  },
  git: {
    severity: 'severe',
    what: message('git configuration or hook'),
    why: message('Git runs what its configuration and hooks name, also when VS Code only looks for changes.'),
  },
  gitProgram: {
    severity: 'severe',
    what: message('program that git runs'),
    why: message('Git’s configuration names it, and git runs it, also when VS Code only looks for changes.'),
  },
  gitAttributes: {
    severity: 'warning',
    what: message('git attributes'),
    why: message('They say for which files git runs a filter, or a program that compares or merges.'),
  },
  bareRepository: {
    severity: 'warning',
    what: message('perhaps a git repository'),
    why: message(
      'Git takes a folder with this file for a repository, and runs what its configuration names.',
    ),
  },
  editor: {
    severity: 'severe',
    what: message('editor settings'),
    why: message('VS Code runs tasks, programs and extensions that settings of a folder name.'),
  },
  otherEditor: {
    severity: 'warning',
    what: message('editor or container settings'),
    why: message('An editor that opens the folder runs what these settings name.'),
  },
  shell: {
    severity: 'warning',
    what: message('shell start file'),
    why: message('A shell or a tool like direnv runs it when somebody enters the folder.'),
  },
  environment: {
    severity: 'notice',
    what: message('environment variables'),
    why: message(
      'Editors, test runners and container tools give them to the programs that they start, and some make a program run something else.',
    ),
  },
  commitHook: {
    severity: 'warning',
    what: message('hook of a commit tool'),
    why: message('It runs on this computer at the next commit or push.'),
  },
  pipeline: {
    severity: 'warning',
    what: message('pipeline'),
    why: message('Once it is pushed, it runs with the project’s rights and secrets.'),
  },
  packageScripts: {
    severity: 'warning',
    what: message('package scripts or settings'),
    why: message('Package managers run such scripts when they install, and editors offer them as tasks.'),
  },
  packagePrograms: {
    severity: 'warning',
    what: message('installed program'),
    why: message('Editors and scripts run programs in this folder by their name.'),
  },
  interpreter: {
    severity: 'severe',
    what: message('interpreter of an environment'),
    why: message(
      'VS Code’s Python extension and others run the interpreter of a folder’s environment by themselves.',
    ),
  },
  pythonStart: {
    severity: 'warning',
    what: message('Python start file'),
    why: message('Python runs it whenever it starts in this environment.'),
  },
  build: {
    severity: 'notice',
    what: message('build file'),
    why: message('It runs at the next build, and some extensions build by themselves.'),
  },
  tests: {
    severity: 'notice',
    what: message('test configuration'),
    why: message('It runs when tests are run or looked for, which editors do by themselves.'),
  },
  tool: {
    severity: 'warning',
    what: message('configuration that is a program'),
    why: message('Extensions of the editor run it to check or format files.'),
  },
  startFile: {
    severity: 'warning',
    what: message('start file of a program'),
    why: message('A program that is started in this folder runs it.'),
  },
  agent: {
    severity: 'notice',
    what: message('agent configuration'),
    why: message('The next agent in this folder obeys it.'),
  },
  executable: {
    severity: 'notice',
    what: message('executable file'),
    why: message('It can be run by its name, which it could not before.'),
  },
  outsideLink: {
    severity: 'warning',
    what: message('link that leaves the folder'),
    why: message('Programs on this computer follow it to a file outside, and read or change that.'),
  },
  hardLink: {
    severity: 'notice',
    what: message('file with a second name'),
    why: message('Whoever changes it here changes it elsewhere, too.'),
  },
  special: {
    severity: 'warning',
    what: message('FIFO, socket or device'),
    why: message('A program that opens it can wait for ever, or talk to something else.'),
  },
  oddName: {
    severity: 'warning',
    what: message('misleading name'),
    why: message('Its name has characters that can’t be seen, and reads as another one.'),
  },
  closed: {
    severity: 'severe',
    what: message('folder that can’t be looked into'),
    why: message(
      'Its permissions hide what is in it from this watch, while programs can still open files in it by name.',
    ),
  },
  crowded: {
    severity: 'warning',
    what: message('folder with too many files to look at'),
    why: message('So many can’t be looked at in time: what is in it is found late, or not at all.'),
  },
  listed: {
    severity: 'severe',
    what: message('protected path'),
    why: message('You, or this folder’s settings, list it as something that no agent may change.'),
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** The severity and the words of a rule. */
export function ruleOf(id: RuleId): Rule {
  return rules[id];
}

/** Whether a text is the id of a rule: what was stored may come from another version. */
export function isRuleId(id: string): id is RuleId {
  return Object.hasOwn(rules, id);
}
