import { type Hostile, objectIn } from './hostileJson';

/** When the agent has to ask before it does something; the strictest first. */
export const permissionModes = ['askAll', 'askEdits', 'allow'] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** opencode's names of what is asked about. Reading is not: the sandbox bounds what can be read. */
const askedTools: Readonly<Record<PermissionMode, readonly string[]>> = {
  askAll: ['edit', 'bash', 'webfetch', 'websearch'],
  askEdits: ['edit'],
  allow: [],
};

const agentName = /^[\w-]{1,64}$/;
const maximumAgents = 50;

/**
 * opencode's own rule for its agent that plans: no edits but of plans. A rule for all agents beats it (measured with
 * 1.18), so it has to be said again.
 */
const planEdits = { '*': 'deny', '.opencode/plans/*.md': 'allow' };

/**
 * The part of the managed configuration that makes the agent ask. It only tightens: what the project forbids stays
 * forbidden. Rules for one agent beat those for all, so those that the project names get the same ones.
 * A convenience for reviewing, and no boundary: the agent works in the same sandbox with and without it.
 * @param projects content of the project's configurations; hostile
 */
export function permissionConfiguration(
  mode: PermissionMode,
  projects: readonly Hostile[],
): Record<string, unknown> {
  const tools = askedTools[mode];
  if (tools.length === 0) return {};
  const agents = projects.flatMap((project) => [
    ...Object.entries(objectIn(project, 'agent')),
    ...Object.entries(objectIn(project, 'mode')),
  ]);
  const names = [...new Set(agents.map(([name]) => name))]
    .filter((name) => agentName.test(name) && name !== 'plan')
    .slice(0, maximumAgents);
  const rulesOf = (name: string): Record<string, string> =>
    asking(
      tools,
      agents.flatMap(([other, agent]) => (other === name ? [permissionIn(agent)] : [])),
    );
  return {
    permission: asking(tools, projects.map(permissionIn)),
    agent: {
      plan: { permission: { edit: planEdits } },
      ...Object.fromEntries(names.map((name) => [name, { permission: rulesOf(name) }])),
    },
  };
}

function asking(tools: readonly string[], permissions: readonly unknown[]): Record<string, string> {
  const asked = tools.filter((tool) => !permissions.some((permission) => forbids(permission, tool)));
  return Object.fromEntries(asked.map((tool) => [tool, 'ask']));
}

/** Rules by pattern count as none: to ask about each use is stricter than most of them. */
function forbids(permission: unknown, tool: string): boolean {
  if (typeof permission === 'string') return permission === 'deny';
  if (typeof permission !== 'object' || permission === null) return false;
  const rules: Hostile = { ...permission };
  return (Object.hasOwn(rules, tool) ? rules[tool] : rules['*']) === 'deny';
}

function permissionIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'permission')
    ? (value as Hostile)['permission']
    : undefined;
}
