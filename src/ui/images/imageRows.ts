import { basename } from 'node:path';
import type { ImageRecord } from '../../apptainer/imageRecords';
import { message, type formatMessage } from '../../sandbox/message';
import { plainText } from '../plainText';

/** A known image, as it is now. */
export interface KnownImage {
  readonly record: ImageRecord;
  readonly state: 'same' | 'touched' | 'missing';
}

/** What the list of images says of one. */
export interface ImageRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly path: string;
}

/** The rows for the images that are still there. @param chosen path of the one that sandboxes use */
export function imageRows(
  images: readonly KnownImage[],
  chosen: string,
  render: typeof formatMessage,
): ImageRow[] {
  return images
    .filter(({ state }) => state !== 'missing')
    .map(({ record, state }) => ({
      label: plainText(basename(record.path)),
      description: [
        ...(record.path === chosen ? [render(message('in use'))] : []),
        ...(state === 'touched' ? [render(message('changed since it was recorded'))] : []),
        record.opencodeVersion === undefined
          ? render(message('without opencode, as far as is known'))
          : `opencode ${plainText(record.opencodeVersion)}`,
        render(message('{0} MB', Math.round(Number(record.identity.size) / 1e6))),
        new Date(record.recordedAt).toLocaleDateString(),
      ].join(', '),
      detail: plainText(record.source === undefined ? record.path : `${record.source} → ${record.path}`),
      path: record.path,
    }));
}
