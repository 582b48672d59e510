import { commandIds, settingKeys, settingName } from '../contributions';
import { message } from './message';
import { contains, isSameOrInside, type Place } from './paths';
import { type RemedyAction, UserError } from './userError';

/** What was seen of an image file. */
export interface ImageFacts {
  /** as it was configured; empty when it was not */
  readonly configuredPath: string;
  /** resolved */
  readonly place: Place;
  /** every entry that is passed on the way there */
  readonly entries: readonly string[];
  readonly kind: 'missing' | 'unreachable' | 'file' | 'other';
  /** it starts like a SIF */
  readonly isSif: boolean;
}

const imageSetting = settingName(settingKeys.image);
const setImage: RemedyAction = { kind: 'openSetting', setting: imageSetting };
const pullImage: RemedyAction = { kind: 'runCommand', command: commandIds.pullImage };

/**
 * Why an image can't be used, if it can't.
 * @param workspaces the folders in which agents work: an image there could be replaced by the agent
 */
export function refuseImage(image: ImageFacts, workspaces: readonly Place[]): UserError | undefined {
  return refuseImagePath(image.configuredPath) ?? refuseImageFile(image) ?? refuseExposure(image, workspaces);
}

function refuseImagePath(path: string): UserError | undefined {
  if (path === '') {
    return new UserError(
      'image.notConfigured',
      message(
        'There is no image for the sandbox yet. Pull one, or name a SIF file in the setting {0}.',
        imageSetting,
      ),
      pullImage,
    );
  }
  if (path.startsWith('/') && !path.includes('\0')) return undefined;
  return new UserError(
    'image.notAbsolute',
    message('The setting {0} must be the full path of a SIF file, starting with /.', imageSetting),
    setImage,
  );
}

function refuseImageFile({ configuredPath: path, kind, isSif }: ImageFacts): UserError | undefined {
  if (kind === 'missing') {
    return new UserError(
      'image.missing',
      message(
        'The image {0} does not exist. Pull it, or name another one in the setting {1}.',
        path,
        imageSetting,
      ),
      pullImage,
    );
  }
  if (kind === 'unreachable') {
    return new UserError(
      'image.unreadable',
      message('You may not read the image {0}. Check its permissions.', path),
      setImage,
    );
  }
  if (kind === 'file' && isSif) return undefined;
  return new UserError(
    'image.notSif',
    message(
      '{0} is not an image that Apptainer can run (a SIF file). Pull it again, or name another one.',
      path,
    ),
    setImage,
  );
}

/** The first of the folders in which agents work where one could replace what is at a place, or lead the way there elsewhere. */
export function findExposure(
  { place, entries }: Pick<ImageFacts, 'place' | 'entries'>,
  workspaces: readonly Place[],
): Place | undefined {
  return workspaces.find(
    (workspace) =>
      contains(workspace, place) || entries.some((entry) => isSameOrInside(workspace.path, entry)),
  );
}

function refuseExposure(image: ImageFacts, workspaces: readonly Place[]): UserError | undefined {
  const exposed = findExposure(image, workspaces);
  if (exposed === undefined) return undefined;
  return new UserError(
    'image.insideWorkspace',
    message(
      'The image {0} is inside {1}, where an agent could replace it. Move it to another folder.',
      image.configuredPath,
      exposed.path,
    ),
    setImage,
  );
}
