import * as v from 'valibot';
import { parseAs } from '../sandbox/parseAs';
import { integer } from '../sandbox/schemas';
import { type Finding, finding } from './finding';
import { type Mark, mark } from './mark';
import { takeBreak } from './takeBreak';

const header = v.strictObject({
  workspace: v.string(),
  /** how many more findings there were than could be kept */
  unkept: v.pipe(integer, v.minValue(0)),
  /** a sandbox ran when this was written: what it did since was not seen */
  isUnsettled: v.boolean(),
  /** the file system makes every file executable: that says nothing there */
  ignoresExecutables: v.boolean(),
});

/** What is known of one workspace between two looks at it. */
export interface GuardState extends Readonly<v.InferOutput<typeof header>> {
  /** what the user knows, by the path below the workspace */
  readonly marks: ReadonlyMap<string, Mark>;
  readonly findings: readonly Finding[];
}

const markLine = v.strictTuple([v.string(), mark]);
/** of a line, which is a finding or a mark otherwise */
const findingStart = '{';
/** 5 ms of lines (measured) */
const linesAtOnce = 500;

/** A state as lines of JSON, because a workspace can have 100,000 marks: they are written in pieces. */
export async function writeState({ marks, findings, ...rest }: GuardState): Promise<Buffer> {
  const pieces = [Buffer.from(`${JSON.stringify(rest)}\n`)];
  const all = [...marks, ...findings];
  for (let start = 0; start < all.length; start += linesAtOnce) {
    const lines = all.slice(start, start + linesAtOnce).map((each) => `${JSON.stringify(each)}\n`);
    pieces.push(Buffer.from(lines.join('')));
    await takeBreak();
  }
  return Buffer.concat(pieces);
}

/** Reads what {@link writeState} wrote. @throws SchemaError, SyntaxError for anything else */
export async function readState(content: Buffer): Promise<GuardState> {
  const marks = new Map<string, Mark>();
  const findings: Finding[] = [];
  const end = content.indexOf('\n');
  const rest = parseAs(header, JSON.parse(content.toString('utf8', 0, end)));
  let count = 0;
  for (let start = end + 1; start < content.length; count += 1) {
    const next = content.indexOf('\n', start);
    const line = content.toString('utf8', start, next);
    if (line.startsWith(findingStart)) findings.push(parseAs(finding, JSON.parse(line)));
    else marks.set(...parseAs(markLine, JSON.parse(line)));
    start = next + 1;
    if (next < 0) throw new SyntaxError('the last line has no end');
    if (count % linesAtOnce === 0) await takeBreak();
  }
  return { ...rest, marks, findings };
}
