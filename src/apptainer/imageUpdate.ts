import type { ImageRecord } from './imageRecords';
import { pinnedDigest } from './pullNetwork';
import { hasDigest } from './sourceDigest';

/** From where an image came: itself, or the one on which it was built. */
export interface ImageOrigin {
  readonly source: string;
  /** of the manifest, `sha256:…`; missing where it could not be known */
  readonly digest?: string | undefined;
}

/** What can be said of an image without asking anybody; only with `askable` can a registry say more. */
export type UpdateOutlook =
  /** chosen, or built from what is on this computer */
  | { readonly kind: 'noRegistry' }
  /** from a registry whose images have no digest that Apptainer tells */
  | { readonly kind: 'noDigest'; readonly source: string }
  /** its source says exactly which image it is */
  | { readonly kind: 'pinned'; readonly source: string }
  /** it was not known which one it was */
  | { readonly kind: 'notRecorded'; readonly source: string }
  | { readonly kind: 'askable'; readonly source: string; readonly digest: string };

const pulledFrom = /^(docker|oras|library|https):\/\//;

/** What the record of an image says of one that is built on it. @returns undefined when it was not pulled either */
export function baseOf(record: ImageRecord | undefined): ImageRecord['base'] {
  const origin = record && originOf(record);
  if (origin === undefined) return undefined;
  const { source, digest } = origin;
  return { source, ...(digest === undefined ? {} : { digest }) };
}

/** What can be said about updates of an image from its record. */
export function updateOutlook(record: ImageRecord | undefined): UpdateOutlook {
  const origin = record && originOf(record);
  if (origin === undefined) return { kind: 'noRegistry' };
  const { source, digest } = origin;
  if (pinnedDigest(source) !== undefined) return { kind: 'pinned', source };
  if (!hasDigest(source)) return { kind: 'noDigest', source };
  return digest === undefined ? { kind: 'notRecorded', source } : { kind: 'askable', source, digest };
}

function originOf({ source, digest, base }: ImageRecord): ImageOrigin | undefined {
  if (base !== undefined) return base;
  return source !== undefined && pulledFrom.test(source) ? { source, digest } : undefined;
}
