import { commandIds } from '../contributions';
import { refuseHost } from '../sandbox/refusals';
import { message } from '../sandbox/message';
import { apptainerLines } from './apptainerLines';
import { diskLines } from './diskLines';
import type { SetupFacts } from './facts';
import { kernelLines } from './kernelLines';
import { actionFix, blocking, type Fix, type LineId, lineIds, ok, type SetupLine, unknown } from './line';

/** `process.arch` of what opencode exists for, and the seccomp profile is made for. */
const architectures: readonly string[] = ['x64', 'arm64'];

/**
 * How everything stands that a sandbox needs, a line for each. What a container that was really started came to
 * beats what the single facts let one expect.
 */
export function checkSetup(facts: SetupFacts): SetupLine[] {
  const system = systemLine(facts);
  // on another system none of the rest means anything
  if (facts.platform !== 'linux') return [system];
  const expected = [
    system,
    ...apptainerLines(facts),
    ...kernelLines(facts),
    imageLine(facts),
    ...diskLines(facts),
  ];
  return inOrder(withTrial(expected, facts));
}

/** The first line that keeps every sandbox from starting, if any. */
export function firstBlocking(lines: readonly SetupLine[]): SetupLine | undefined {
  return lines.find(({ isBlocking }) => isBlocking);
}

/** Whether the computer has what a sandbox needs, whatever the image is like. */
export function isComputerReady(lines: readonly SetupLine[]): boolean {
  return lines.every(({ id, isBlocking }) => !isBlocking || id === 'image');
}

function systemLine({ platform, architecture, userId, distribution }: SetupFacts): SetupLine {
  const refusal = refuseHost({ platform, uid: userId });
  if (refusal) return blocking('system', refusal.description, ...actionFix(refusal.action));
  if (!architectures.includes(architecture)) {
    return blocking(
      'system',
      message(
        'This computer has a processor of the kind {0}. opencode exists for x64 and arm64 alone.',
        architecture,
      ),
    );
  }
  return distribution.name === ''
    ? ok('system', message('Linux on {0}.', architecture))
    : ok('system', message('{0} on {1}.', distribution.name, architecture));
}

function imageLine({ image }: SetupFacts): SetupLine {
  return image.kind === 'ready'
    ? ok('image', message('The image is {0}.', image.path))
    : blocking('image', image.error.description, ...actionFix(image.error.action), selectImage);
}

const selectImage: Fix = { kind: 'action', action: { kind: 'runCommand', command: commandIds.selectImage } };

function withTrial(lines: readonly SetupLine[], { trial }: SetupFacts): SetupLine[] {
  switch (trial.kind) {
    case 'notTried':
      return [...lines, unknown('container', message('None was started, because something is missing.'))];
    case 'works': {
      const detail = message(
        'A container was started without network, and ended, in {0} ms.',
        trial.milliseconds,
      );
      return [
        ...lines.map((line) => (isAboutStarting(line.id) ? proven(line) : line)),
        ok('container', detail),
      ];
    }
    case 'failed': {
      const { topic, meaning } = trial.failure;
      const id: LineId = topic === undefined || topic === 'space' ? 'container' : topic;
      return [
        ...lines.map((line) => (line.id === id && !line.isBlocking ? blamed(line, meaning) : line)),
        blocking('container', meaning),
      ];
    }
  }
}

/** What a started container proves, whatever the facts say. */
function isAboutStarting(id: LineId): boolean {
  return ['userNamespaces', 'fuse', 'helpers', 'seccomp'].includes(id);
}

function proven(line: SetupLine): SetupLine {
  return line.isBlocking ? { ...line, state: 'warning', isBlocking: false } : line;
}

function blamed(line: SetupLine, meaning: SetupLine['detail']): SetupLine {
  return { ...line, state: 'problem', isBlocking: true, detail: meaning };
}

function inOrder(lines: readonly SetupLine[]): SetupLine[] {
  return [...lines].sort((one, other) => lineIds.indexOf(one.id) - lineIds.indexOf(other.id));
}
