import { message, type Message } from '../sandbox/message';
import { held, notHeld, placesOf, type Judgement, type Inapplicable, type Probe } from './probe';
import type { KernelFacts, Seen, SecretName } from './seen';

/** Held when none of these random texts came out. They are searched in what this very probe said. */
export function keepsSecret(...names: readonly SecretName[]): Probe['judge'] {
  return (seen, { id }) => {
    const said = seen.reports.get(id)?.said ?? '';
    const found = names.find((name) => {
      const secret = seen.secrets[name];
      return secret !== undefined && said.includes(secret);
    });
    return found === undefined
      ? held(message('The random text that the host had hidden there did not come out.'))
      : notHeld(message('The random text that the host had hidden there came out.'));
  };
}

/** Why a secret could not be hidden here, if so. */
export function needsSecret(name: SecretName, why: Message): Inapplicable {
  return ({ secrets }) => (secrets[name] === undefined ? why : undefined);
}

/** As {@link keepsSecret}, and the kernel must show none of them in a process of the sandbox. */
export function keepsVariable(...names: readonly SecretName[]): Probe['judge'] {
  return (seen, probe) => {
    const judgement = keepsSecret(...names)(seen, probe);
    if (judgement.result !== 'held') return judgement;
    return byKernel(({ variables }) =>
      names.some((name) => variables.has(name))
        ? notHeld(
            message(
              'The host’s /proc shows it in the environment or the arguments of a process of the sandbox.',
            ),
          )
        : held(message('It did not come out, and the host’s /proc shows it in no process of the sandbox.')),
    )(seen, probe);
  };
}

/** Held when nothing arrived at the probe's door. */
export const keepsDoorShut: Probe['judge'] = ({ arrivals }, { id }) => {
  const count = arrivals.get(id) ?? 0;
  return count === 0
    ? held(message('The host waited there, and nothing arrived.'))
    : notHeld(message('{0} connections or datagrams arrived at the host.', count));
};

/** Held when the probe's victims are as they were. */
export const keepsVictims: Probe['judge'] = ({ plan, victims }, { victims: pathsOf }) => {
  const paths = pathsOf?.(plan) ?? [];
  const unknown = paths.length === 0 || paths.some((path) => !victims.has(path));
  if (unknown) return notHeld(message('The host could not look, so it proves nothing.'));
  const changed = paths.filter((path) => victims.get(path) !== 'same');
  return changed.length === 0
    ? held(message('On the host everything is as it was.'))
    : notHeld(message('On the host something was changed: {0}', changed.join(', ')));
};

/** Decides by what the host's /proc says. */
export function byKernel(decide: (facts: KernelFacts, seen: Seen) => Judgement): Probe['judge'] {
  return (seen) =>
    seen.kernel
      ? decide(seen.kernel, seen)
      : notHeld(message('The host could not read the kernel’s facts of the sandbox.'));
}

/** Held when the kernel's mounts show none of the probe's places in the sandbox. */
export const keepsHidden: Probe['judge'] = (seen, probe) =>
  byKernel(({ exposed }) => {
    const shown = placesOf(probe, seen.plan, seen.runDirectory).find((path) => exposed.get(path) !== 'none');
    return shown === undefined
      ? held(message('The host’s /proc shows nothing of it in the sandbox.'))
      : notHeld(message('The host’s /proc shows in the sandbox: {0}', shown));
  })(seen, probe);

/** Held when no process of the sandbox has a descriptor whose target matches. */
export function hasNoDescriptor(pattern: { test(target: string): boolean }): Probe['judge'] {
  return byKernel(({ processes }) => {
    if (processes.some(({ descriptors }) => descriptors === undefined)) {
      return notHeld(message('The host could not read the descriptors, so it proves nothing.'));
    }
    const found = processes
      .flatMap(({ descriptors = [] }) => descriptors)
      .find((target) => pattern.test(target));
    return found === undefined
      ? held(message('The host’s /proc shows no such descriptor in any process of the sandbox.'))
      : notHeld(message('The host’s /proc shows the descriptor: {0}', found));
  });
}

/** Held when this text did not come out on the terminal. */
export function keepsFromTerminal(pattern: (token: string) => string): Probe['judge'] {
  return ({ stream, isStreamWhole, plan }) => {
    if (stream.includes(pattern(plan.token))) {
      return notHeld(message('The sequence reached the terminal of the host.'));
    }
    return isStreamWhole
      ? held(message('The sequence did not reach the terminal of the host.'))
      : notHeld(message('More came out on the terminal than the host keeps, so it proves nothing.'));
  };
}

/** What only our own launcher has. */
export const oursAlone: Inapplicable = ({ target }) =>
  target === 'ours' ? undefined : message('This sandbox has nothing of the kind.');
