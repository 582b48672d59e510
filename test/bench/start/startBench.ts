import { startDemoModel } from '../../../scripts/demoModel/server';
import { keepCopy } from '../../../src/apptainer/copyOpencode';
import { recordImage } from '../../../src/apptainer/imageIntegrity';
import { ImageRecords } from '../../../src/apptainer/imageRecords';
import { copyFolder, OpencodeCopies } from '../../../src/apptainer/opencodeCopies';
import { configureModel, greetingScenario } from '../../support/agentWorkspace';
import { apptainer } from '../../support/environment';
import { type Bench, type Figure, inTurn, median, ratioTo } from '../bench';
import { getTestParts } from '../parts';
import { type BenchFolders, makeBenchFolders } from './benchFolders';
import { oursUntilEnd, oursUntilPainted, oursUntilVersion } from './ourRuns';
import { plainUntilEnd, plainUntilPainted, plainUntilVersion } from './plainRuns';
import { packAsUsual } from './usualImage';

/** A painted prompt takes seconds. */
const paintedRounds = 7;

/** The command that people type today, against all that the extension does, with the same image. */
export const startBench: Bench = {
  async *run(signal): AsyncGenerator<Figure> {
    await getTestParts('vscodeServer');
    const fast = makeBenchFolders();
    const model = await startDemoModel({ scenario: greetingScenario });
    try {
      configureModel(fast.workspace, model.baseUrl);
      const usual = { ...fast, image: await packAsUsual(fast.root, signal) };
      for (const folders of [usual, fast]) await prepareImage(folders, signal);
      for (const measure of [untilVersion, untilTrue, untilPainted]) {
        signal.throwIfAborted();
        yield await measure(usual);
      }
      yield await untilVersion(fast, 'Lz4');
      yield await untilTrue(fast, 'Lz4');
    } finally {
      await model.close();
      await fast.remove();
    }
  },
};

/** As with an image that was pulled or chosen a while ago: a start looks at it and at its copy, and does not read them. */
async function prepareImage({ image, storage }: BenchFolders, signal: AbortSignal): Promise<void> {
  const record = await recordImage(new ImageRecords(storage), image, {});
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

/** @param image how it is packed, unless as usual */
async function untilVersion(folders: BenchFolders, image: 'Lz4' | '' = ''): Promise<Figure> {
  const values = await inTurn({
    plain: () => plainUntilVersion(folders),
    ours: () => oursUntilVersion(folders),
    withoutCopy: () => oursUntilVersion(folders, false),
  });
  return figure(`until opencode says its version${packed(image)}`, `version${image}Ratio`, values, 0.65);
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

async function untilTrue(folders: BenchFolders, image: 'Lz4' | '' = ''): Promise<Figure> {
  const plain = () => plainUntilEnd(folders, 'true');
  const values = await inTurn({ plain, ours: () => oursUntilEnd(folders, 'true') });
  return figure(`true, from the request to its end${packed(image)}`, `true${image}Ratio`, values, 1.6);
}

function packed(image: 'Lz4' | ''): string {
  return image === '' ? '' : ' (image packed with LZ4)';
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
