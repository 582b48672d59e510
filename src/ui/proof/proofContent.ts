import type { JudgedProbe } from '../../probes/host/battery';
import { groupTitles } from '../../probes/groupTitles';
import { groupNames, type Group, type Judgement, type Probe, type Result } from '../../probes/probe';
import { countHeld, type ProofDocument } from '../../probes/result';
import { message, type formatMessage, type Message } from '../../sandbox/message';
import { plainText } from '../plainText';
import type { ReportBlock, Tone } from '../report/reportBlock';

/** One run with all that is known of it. */
export interface ProofRun {
  readonly judged: readonly JudgedProbe[];
  readonly document: ProofDocument;
  /** milliseconds since the epoch */
  readonly time: number;
  /** of the window, whose settings were used */
  readonly folder: string;
  readonly image: string;
}

/** A cell stays a cell. */
const longestText = 600;

type Render = typeof formatMessage;

/** A run as a report: what held and what did not as a word, with what the host saw; a table for each group. */
export function proofContent(
  { judged, document, time, folder, image }: ProofRun,
  render: Render,
): ReportBlock[] {
  const about = [
    message('Settings of: {0}', folder),
    message('Image: {0}', image),
    message('Image’s sha256: {0}', document.imageDigest ?? '–'),
    message('sha256 of the image’s program that made the attempts: {0}', document.programDigest ?? '–'),
    ...Object.entries(document.versions).map(([name, version]) => message('{0}: {1}', name, version)),
  ];
  return [
    { kind: 'heading', level: 1, text: render(message('Proof of the sandbox')) },
    headline(judged, time, render),
    { kind: 'paragraph', text: render(introduction) },
    { kind: 'list', items: about.map((one) => plainText(render(one))) },
    ...openSection(judged, render),
    ...groupNames.flatMap((group) => groupSection(group, judged, render)),
  ];
}

/** How it came out. What is a limit of every sandbox is no alarm, and not hidden. */
function headline(judged: readonly JudgedProbe[], time: number, render: Render): ReportBlock {
  const counts = countHeld(judged);
  const text = message('{0}/{1} held, {2}', counts.held, counts.judged, new Date(time).toLocaleString());
  const outcome = outcomeOf(judged);
  const skipped = judged.length - counts.judged;
  const remarks = [
    ...(outcome === 'knownLimits' ? [knownLimits] : []),
    ...(skipped > 0 ? [message('Not applicable on this computer: {0}.', skipped)] : []),
  ];
  const sentences = [`${render(text)}.`, ...remarks.map(render)];
  return { kind: 'paragraph', text: sentences.join(' '), tone: tones[outcome] };
}

type Outcome = 'held' | 'knownLimits' | 'notHeld';

const tones: Readonly<Record<Outcome, Tone>> = { held: 'good', knownLimits: 'warning', notHeld: 'bad' };

function outcomeOf(judged: readonly JudgedProbe[]): Outcome {
  const open = openOf(judged);
  if (open.length === 0) return 'held';
  return open.every(({ judgement }) => judgement.isKnownLimit) ? 'knownLimits' : 'notHeld';
}

/** How a run came out, in a sentence or two for a notification. */
export function proofSummary(judged: readonly JudgedProbe[]): Message {
  const { held, judged: all } = countHeld(judged);
  switch (outcomeOf(judged)) {
    case 'held':
      return message('All {0} attempts to get out failed.', all);
    case 'knownLimits':
      return message(
        '{0} of {1} attempts to get out failed. The rest are known limits of every sandbox here, which the report names.',
        held,
        all,
      );
    case 'notHeld':
      return message(
        'Not all attempts to get out failed: {0} of {1} did. What did not hold is at the top of the report.',
        held,
        all,
      );
  }
}

const knownLimits = message('The rest are known limits: this extension promises nothing there.');

function openOf(judged: readonly JudgedProbe[]): readonly JudgedProbe[] {
  return judged.filter(({ judgement }) => judgement.result === 'notHeld');
}

const introduction = message(
  'The attempts were made in a sandbox of their own, started as the agent’s is, in a folder made for it. What the host saw decides: a probe’s own word counts for nothing, and one that did not run has not held. Where an attempt leaves no trace when it is refused, the row says so: whether it was made is only as sure as the image is what its makers published. Its sha256 is below, with that of its program.',
);

/** What somebody looks for first. */
function openSection(judged: readonly JudgedProbe[], render: Render): ReportBlock[] {
  const open = openOf(judged);
  if (open.length === 0) return [];
  return [
    { kind: 'heading', level: 2, text: render(message('What did not hold')) },
    {
      kind: 'list',
      items: open.map(
        ({ probe, judgement }) => `${render(probe.title)}: ${evidenceText(probe, judgement, render)}`,
      ),
    },
  ];
}

function groupSection(group: Group, judged: readonly JudgedProbe[], render: Render): ReportBlock[] {
  const titles = [
    message('What was tried'),
    message('Result'),
    message('What the host saw'),
    message('What the probe says, which is no evidence'),
  ];
  const ofGroup = judged.filter(({ probe }) => probe.group === group);
  // what did not hold comes first
  const sorted = [...ofGroup].sort(
    (one, other) => order.indexOf(one.judgement.result) - order.indexOf(other.judgement.result),
  );
  return [
    { kind: 'heading', level: 2, text: render(groupTitles[group]) },
    {
      kind: 'table',
      titles: titles.map(render),
      rows: sorted.map(({ probe, judgement, said }) => [
        { text: render(probe.title) },
        { text: render(resultWords[judgement.result]), tone: resultTones[judgement.result] },
        { text: evidenceText(probe, judgement, render) },
        { text: shortText(said) },
      ]),
    },
  ];
}

/** What is refused without a trace can't be told from what was not tried. */
function evidenceText(probe: Probe, { result, evidence }: Judgement, render: Render): string {
  const rests = result === 'held' && probe.leavesNoTrace;
  const text = shortText(render(evidence));
  return rests ? `${text} ${render(noTrace)}` : text;
}

/** Names of files and mounts may be in it, and those may be hostile. */
function shortText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  // half a character may be at its end now
  return plainText(line.length > longestText ? `${line.slice(0, longestText)}…` : line);
}

const noTrace = message('(That it was tried is the word of the image’s own program.)');

const order: readonly Result[] = ['notHeld', 'held', 'notApplicable'];

const resultWords: Readonly<Record<Result, Message>> = {
  held: message('held'),
  notHeld: message('not held'),
  notApplicable: message('not applicable'),
};

const resultTones: Readonly<Record<Result, Tone>> = {
  held: 'good',
  notHeld: 'bad',
  notApplicable: 'unknown',
};
