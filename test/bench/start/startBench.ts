import { realpathSync } from 'node:fs';
import { startDemoModel } from '../../../scripts/demoModel/server';
import { keepCopy } from '../../../src/apptainer/copyOpencode';
import { recordImage } from '../../../src/apptainer/imageIntegrity';
import { type ImageRecord, ImageRecords } from '../../../src/apptainer/imageRecords';
import { copyFolder, OpencodeCopies } from '../../../src/apptainer/opencodeCopies';
import { configureModel, greetingScenario } from '../../support/agentWorkspace';
import { apptainer, image } from '../../support/environment';
import { type Bench, type Figure, inTurn, median, ratioTo } from '../bench';
import { getTestParts } from '../parts';
import { type BenchFolders, makeBenchFolders } from './benchFolders';
import { oursUntilEnd, oursUntilPainted, oursUntilVersion } from './ourRuns';
import { plainUntilEnd, plainUntilPainted, plainUntilVersion } from './plainRuns';

/** A painted prompt takes seconds. */
const paintedRounds = 7;

/** The command that people type today, against all that the extension does, with the same image. */
export const startBench: Bench = {
  async *run(signal): AsyncGenerator<Figure> {
    await getTestParts('vscodeServer');
    const folders = makeBenchFolders();
    const model = await startDemoModel({ scenario: greetingScenario });
    try {
      configureModel(folders.workspace, model.baseUrl);
      // as with an image that was pulled or chosen: a start looks at it, and does not read it
      const record = await recordImage(new ImageRecords(folders.storage), realpathSync(image()), {});
      await makeCopy(folders, record, signal);
      for (const measure of [untilVersion, untilTrue, untilPainted]) {
        signal.throwIfAborted();
        yield await measure(folders);
      }
    } finally {
      await model.close();
      await folders.remove();
    }
  },
};

/** As the extension does it a while after a start. */
async function makeCopy({ storage }: BenchFolders, record: ImageRecord, signal: AbortSignal): Promise<void> {
  const uid = process.getuid?.() ?? -1;
  const copies = new OpencodeCopies((await copyFolder(storage, uid)) ?? storage, uid);
  const made = await keepCopy({
    copies,
    apptainer: apptainer(),
    image: record,
    environment: process.env,
    signal,
  });
  if (made !== 'made') throw new Error(`no copy of opencode was made: ${made}`);
}

async function untilVersion(folders: BenchFolders): Promise<Figure> {
  const values = await inTurn({
    plain: () => plainUntilVersion(folders),
    ours: () => oursUntilVersion(folders),
    withoutCopy: () => oursUntilVersion(folders, false),
  });
  return figure('until opencode says its version', 'versionRatio', values, 0.65);
}

async function untilPainted(folders: BenchFolders): Promise<Figure> {
  const ways = {
    plain: () => plainUntilPainted(folders),
    ours: () => oursUntilPainted(folders),
    withoutCopy: () => oursUntilPainted(folders, false),
  };
  return figure(
    'until opencode’s prompt is painted',
    'paintedRatio',
    await inTurn(ways, paintedRounds),
    0.82,
  );
}

async function untilTrue(folders: BenchFolders): Promise<Figure> {
  const plain = () => plainUntilEnd(folders, 'true');
  const values = await inTurn({ plain, ours: () => oursUntilEnd(folders, 'true') });
  return figure('true, from the request to its end', 'trueRatio', values, 1.6);
}

/** @param values round by round; `withoutCopy`: ours with opencode from the image */
function figure(
  name: string,
  key: string,
  values: Readonly<Record<'plain' | 'ours', number[]> & { withoutCopy?: number[] }>,
  most: number,
): Figure {
  const { plain, ours, withoutCopy } = values;
  const ratio = ratioTo(plain, ours);
  return {
    ...{ name, unit: 'ms', goal: `${key} at most ${most}`, isMet: ratio <= most },
    values: {
      ...{ plain: median(plain), ours: median(ours), [key]: ratio },
      ...(withoutCopy && {
        'ours without the copy': median(withoutCopy),
        [key.replace('Ratio', 'WithoutCopyRatio')]: ratioTo(plain, withoutCopy),
      }),
    },
  };
}
