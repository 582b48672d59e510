import type { UpdateOutlook } from '../../apptainer/imageUpdate';
import { commandIds, settingKeys, settingName } from '../../contributions';
import { type Message, message } from '../../sandbox/message';
import type { RemedyAction } from '../../sandbox/userError';

/** What is told of an image after it was looked for an update, and what its button does. */
export interface UpdateText {
  readonly text: Message;
  readonly action?: RemedyAction;
}

const pull: RemedyAction = { kind: 'runCommand', command: commandIds.pullImage };
const sourceSetting = settingName(settingKeys.imageSource);
const openSource: RemedyAction = { kind: 'openSetting', setting: sourceSetting };

/**
 * Why no registry is asked about an image.
 * @param path of the image @param imageSource what *Pull Image* would fetch
 */
export function outlookText(
  outlook: Exclude<UpdateOutlook, { kind: 'askable' }>,
  path: string,
  imageSource: string,
): UpdateText {
  switch (outlook.kind) {
    case 'noRegistry':
      return {
        text: message(
          'The image {0} was not pulled from a registry, as far as is known, so none can be asked for a newer one.',
          path,
        ),
      };
    case 'noDigest':
    case 'notRecorded':
      return notComparedText(outlook, imageSource);
    case 'pinned':
      return {
        text: message(
          'The image is pinned by its source, {0}: there is no newer one with this digest.',
          outlook.source,
        ),
      };
  }
}

/** Of an image that can only be pulled again, or not even that, where Pull Image would fetch another one. */
function notComparedText(
  { kind, source }: Extract<UpdateOutlook, { kind: 'noDigest' | 'notRecorded' }>,
  imageSource: string,
): UpdateText {
  if (source === imageSource) {
    const text =
      kind === 'noDigest'
        ? message(
            'Whether there is a newer image than that of {0} can’t be found out: only images of docker:// can be compared. Pull it again to have the newest.',
            source,
          )
        : message(
            'Which image {0} was when it was pulled is not known, so it can’t be compared. Pull it again to have the newest.',
            source,
          );
    return { text, action: pull };
  }
  const values = [source, imageSource, sourceSetting];
  const text =
    kind === 'noDigest'
      ? message(
          'Whether there is a newer image than that of {0} can’t be found out: only images of docker:// can be compared. Pull Image would fetch {1}, which is what the setting {2} names.',
          ...values,
        )
      : message(
          'Which image {0} was when it was pulled is not known, so it can’t be compared. Pull Image would fetch {1}, which is what the setting {2} names.',
          ...values,
        );
  return { text, action: openSource };
}

/**
 * What a registry's answer means.
 * @param known the digest that was recorded @param now what the registry says
 * @param imageSource what *Pull Image* would fetch
 */
export function answerText(source: string, known: string, now: string, imageSource: string): UpdateText {
  if (known === now) {
    return { text: message('The image is up to date: {0} is still the one that was pulled.', source) };
  }
  if (source !== imageSource) {
    return {
      text: message(
        'There is a newer image at {0}. Pull Image would fetch {1}, which is what the setting {2} names.',
        ...[source, imageSource, sourceSetting],
      ),
      action: openSource,
    };
  }
  return { text: message('There is a newer image at {0}.', source), action: pull };
}
