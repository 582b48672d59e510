/** What a scripted model says, as data. */
export interface Scenario {
  /** the names it answers to `GET /models` */
  readonly models: readonly string[];
  /** the answer to opencode's request for the title of a session */
  readonly title: string;
  /** the first one whose `match` fits the newest user message counts */
  readonly rules: readonly Rule[];
  /** when no rule fits */
  readonly otherwise: readonly Step[];
}

export interface Rule {
  /** regular expression, flags `im` */
  readonly match: string;
  /** one per turn after the user's message; the last one repeats */
  readonly steps: readonly Step[];
}

/**
 * One answer. In its strings `$1` … are the groups of the rule's match, and `${user}`, `${result}` and `${cwd}` the
 * newest user message, what the last tool returned, and the working directory that opencode names in its system prompt.
 */
export interface Step {
  readonly reasoning?: string;
  readonly text?: string;
  readonly tools?: readonly ToolCall[];
  readonly delayMilliseconds?: number;
  /** an HTTP status of 400 or more: answers with an error (a string so that `$1` can stand there) */
  readonly status?: number | string;
  /** never answers */
  readonly hang?: boolean;
  /** ends the connection after so many pieces of the stream */
  readonly cutAfter?: number;
  /** said instead when the newest tool result matches (regular expression, flags `im`) */
  readonly ifResult?: { readonly match: string; readonly step: Step };
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A message of a chat-completions request, as far as a script cares. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

export interface PickedStep {
  /** which rule fitted: its `match`, `title` or `otherwise` */
  readonly rule: string;
  readonly turn: number;
  /** the newest user message */
  readonly user: string;
  readonly step: Step;
}

/** What the scenario says to these messages. Pure. */
export function pickStep(scenario: Scenario, messages: readonly ChatMessage[]): PickedStep {
  const system = messages.filter(isInstruction).map(textOf).join('\n');
  const newest = messages.findLastIndex(({ role }) => role === 'user');
  const newestMessage = messages[newest];
  // opencode puts a prompt from its command line into quotes
  const user = (newestMessage === undefined ? '' : textOf(newestMessage)).trim().replace(/^"|"$/g, '');
  const answers = messages.slice(newest + 1);
  const turn = answers.filter(({ role }) => role === 'assistant').length;
  if (/title generator|generate a (short )?title/i.test(system)) {
    return { rule: 'title', turn, user, step: { text: scenario.title } };
  }
  const { rule, steps, groups } = findRule(scenario, user);
  const scripted = steps[Math.min(turn, steps.length - 1)] ?? { text: '' };
  const lastResult = answers.findLast(({ role }) => role === 'tool');
  const result = lastResult === undefined ? '' : textOf(lastResult).trim();
  const places = { ...groups, user, result, cwd: /Working directory:\s*(.+)$/im.exec(system)?.[1] ?? '.' };
  const step = fill(chooseByResult(scripted, result), places) as Step;
  return { rule, turn, user, step };
}

function findRule(scenario: Scenario, user: string) {
  for (const { match, steps } of scenario.rules) {
    const found = new RegExp(match, 'im').exec(user);
    if (found !== null) {
      return {
        rule: match,
        steps,
        groups: Object.fromEntries(found.map((group, index) => [String(index), group])),
      };
    }
  }
  return { rule: 'otherwise', steps: scenario.otherwise, groups: {} };
}

function chooseByResult(step: Step, result: string): Step {
  return step.ifResult !== undefined && new RegExp(step.ifResult.match, 'im').test(result)
    ? step.ifResult.step
    : step;
}

/** The same value with the places in all its strings filled; unknown places stay. */
function fill(value: unknown, places: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') {
    return value.replace(
      /\$\{(\w+)\}|\$(\d)/g,
      (place, name: string | undefined, group: string | undefined) => places[name ?? group ?? ''] ?? place,
    );
  }
  if (Array.isArray(value)) {
    return value.map((item) => fill(item, places));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, places)]));
  }
  return value;
}

function isInstruction({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

/** The text of a message, whose content is a string or a list of parts. */
function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') {
    return content;
  }
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.map((part) => (hasText(part) ? part.text : '')).join('\n');
}

function hasText(part: unknown): part is { readonly text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}
