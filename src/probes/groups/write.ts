import { symlinkSync, utimesSync } from 'node:fs';
import { message } from '../../sandbox/message';
import { attempt, changeMode, write } from '../inside/attack';
import { keepsVictims } from '../judges';
import type { Plan } from '../plan';
import type { Probe } from '../probe';
import { kernelProbes } from './writeKernel';
import { supervisorProbes } from './writeSupervisor';

const group = 'write';

/** Files of the host that must stay as they are, and which the sandbox must not be able to write. */
function outside(pathsOf: (plan: Plan) => readonly string[]): Pick<Probe, 'victims' | 'places'> {
  return { victims: pathsOf, places: pathsOf };
}

/** Writes to the host's files: the host looks at each before and after. */
const files: readonly Probe[] = [
  {
    ...{ id: 'write.home', group, title: message('Change a file in the home folder') },
    ...outside(({ home }) => [`${home}/victim.txt`]),
    attack: ({ plan }) => write(`${plan.home}/victim.txt`),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.homeNew', group, title: message('Make a file in the home folder') },
    ...outside(({ home }) => [`${home}/new.txt`]),
    attack: ({ plan }) => write(`${plan.home}/new.txt`),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.sibling', group, title: message('Make a file in the folder beside the workspace') },
    ...outside(({ sibling }) => [`${sibling}/new.txt`]),
    attack: ({ plan }) => `${write(`${plan.sibling}/new.txt`)} ${write(`${plan.workspace}/../new.txt`)}`,
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.temporary', group, title: message('Make a file in the host’s temporary folders') },
    ...outside(({ absent }) => [absent.tmp, absent.varTmp, absent.shm]),
    attack: ({ plan }) => Object.values(plan.absent).map(write).join(' '),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.aboveRoot', group, title: message('Make a file through /.. and the roots of processes') },
    ...outside(({ sibling }) => [`${sibling}/above.txt`, `${sibling}/root.txt`]),
    attack: ({ plan }) =>
      `${write(`/..${plan.sibling}/above.txt`)} ${write(`/proc/1/root${plan.sibling}/root.txt`)}`,
    judge: keepsVictims,
  },
  {
    ...{
      id: 'write.throughLink',
      group,
      title: message('Write through a link in the workspace that leads out'),
    },
    ...outside(({ sibling }) => [`${sibling}/link.txt`]),
    attack: ({ plan }) => {
      const link = `${plan.workspace}/leads-out`;
      return `${attempt(() => String(symlinkSync(plan.sibling, link)))} ${write(`${link}/link.txt`)}`;
    },
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.image', group, title: message('Touch the image file on the host') },
    ...outside(({ image }) => [image]),
    // a change of its times can be seen, and does no harm
    attack: ({ plan }) =>
      attempt(() => {
        utimesSync(plan.image, new Date(), new Date());
        return 'touched';
      }),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.setId', group, title: message('Make a setuid program in the workspace') },
    victims: ({ workspace }) => [`${workspace}/program`],
    leavesNoTrace: true,
    attack: ({ plan, system }) => changeMode(system, `${plan.workspace}/program`, 0o4755),
    judge: keepsVictims,
  },
];

export const writeProbes: readonly Probe[] = [...files, ...kernelProbes, ...supervisorProbes];
