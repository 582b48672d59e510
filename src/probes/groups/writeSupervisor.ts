import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { message } from '../../sandbox/message';
import { attempt, write } from '../inside/attack';
import { byKernel, keepsVictims, oursAlone } from '../judges';
import { notHeld, type Probe } from '../probe';

const group = 'write';

function ofRunDirectory(...names: string[]): NonNullable<Probe['places']> {
  return (_plan, runDirectory = '/') => names.map((name) => `${runDirectory}/inside/${name}`);
}

/** Writes to what the supervisor has put into the sandbox. */
export const supervisorProbes: readonly Probe[] = [
  {
    ...{ id: 'write.runDirectory', group, title: message('Change what the supervisor put into the sandbox') },
    inapplicable: oursAlone,
    victims: () => ['inside:new', 'inside:companion.mjs', 'inside:probes.mjs'],
    places: ofRunDirectory('new', 'companion.mjs', 'probes.mjs'),
    attack: () =>
      ['new', 'companion.mjs', 'probes.mjs'].map((name) => write(`/run/sandboxed-agent/${name}`)).join(' '),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.configuration', group, title: message('Change the configuration that beats all others') },
    inapplicable: oursAlone,
    victims: () => ['inside:opencode/opencode.json', 'inside:opencode/new'],
    places: ofRunDirectory('opencode/opencode.json', 'opencode/new'),
    attack: () => ['opencode.json', 'new'].map((name) => write(`/etc/opencode/${name}`)).join(' '),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.gateway', group, title: message('Replace the gateway’s socket') },
    inapplicable: (seen) =>
      oursAlone(seen) ??
      (seen.network === 'restricted' ? undefined : message('With this network there is no such socket.')),
    victims: () => ['inside:egress.sock'],
    places: ofRunDirectory('egress.sock'),
    attack: () =>
      attempt(() => {
        unlinkSync('/run/sandboxed-agent/egress.sock');
        writeFileSync('/run/sandboxed-agent/egress.sock', '');
        return 'replaced';
      }),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.hiddenHome', group, title: message('Write into the agent’s home through the workspace') },
    inapplicable: (seen) =>
      oursAlone(seen) ??
      (seen.plan.agentHome?.startsWith(seen.plan.workspace)
        ? undefined
        : message('The agent’s home is not in the workspace.')),
    // the second: where a later probe may have put it
    victims: ({ agentHome, workspace }) => [
      `${agentHome ?? ''}/through-workspace`,
      `${workspace}/old-home/through-workspace`,
    ],
    attack: ({ plan }) =>
      attempt(() => {
        mkdirSync(`${plan.agentHome ?? ''}/through-workspace`);
        return 'made';
      }),
    judge: (seen, probe) => {
      const { agentHome } = seen.plan;
      const isCovered = byKernel(({ mounts }) =>
        mounts.findLast(({ mountPoint }) => mountPoint === agentHome)?.readOnly === true
          ? keepsVictims(seen, probe)
          : notHeld(message('The host’s /proc shows that the sandbox can come to it, whatever it says.')),
      );
      return isCovered(seen, probe);
    },
  },
];
