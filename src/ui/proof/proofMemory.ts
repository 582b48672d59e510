import { identifyTarget } from '../../host/fileIdentity';
import type { ProofCounts } from '../../probes/result';
import { message, type Message } from '../../sandbox/message';
import type { FileIdentity } from '../../sandbox/specification';

/** What is remembered of the last proof. */
export interface RememberedProof extends ProofCounts {
  /** milliseconds since the epoch */
  readonly time: number;
  readonly image: { readonly path: string; readonly identity: FileIdentity };
}

/** A proof that is older says nothing about now: images, settings and kernels change. */
const validMilliseconds = 24 * 60 * 60_000;

/**
 * What is said of the last proof beside what is verified of the running sandboxes.
 * @param images paths of the images of the sandboxes that run
 * @param present what the proof's image is now
 */
export function proofMessage(
  proof: RememberedProof | undefined,
  images: readonly string[],
  present: FileIdentity | undefined,
  now: number,
): Message {
  if (!proof || !saysSomething(proof, images, present, now))
    return message('Proof: not proven with this image in the last 24 hours');
  return message(
    'Proof: {0}/{1} held, {2}',
    proof.held,
    proof.judged,
    new Date(proof.time).toLocaleTimeString(),
  );
}

function saysSomething(
  proof: RememberedProof,
  images: readonly string[],
  present: FileIdentity | undefined,
  now: number,
): boolean {
  const isOld = now - proof.time > validMilliseconds || proof.time > now;
  return !isOld && isSameImage(proof, images, present);
}

function isSameImage(
  { image }: RememberedProof,
  images: readonly string[],
  present: FileIdentity | undefined,
): boolean {
  const { identity } = image;
  const isUnchanged =
    present?.device === identity.device &&
    present.inode === identity.inode &&
    present.size === identity.size &&
    present.changedTime === identity.changedTime;
  return isUnchanged && images.every((path) => path === image.path);
}

/** Where something is kept for all windows; `vscode.Memento` fits. */
export interface Store {
  get<Value>(key: string): Value | undefined;
  update(key: string, value: unknown): Thenable<void>;
}

const storeKey = 'proof';

/** Keeps the last proof, for all windows on this computer. */
export class ProofMemory {
  constructor(private readonly store: Store) {}

  async keep(proof: RememberedProof): Promise<void> {
    await this.store.update(storeKey, proof);
  }

  /** What is to be said now. @param images paths of the images of the sandboxes that run */
  describe(images: readonly string[], now: number): Message {
    const proof = this.read();
    return proofMessage(proof, images, presentImage(proof), now);
  }

  /** Whether there is a proof that says something about now, whatever came out. @param images as for a description */
  isThere(images: readonly string[], now: number): boolean {
    const proof = this.read();
    return proof !== undefined && saysSomething(proof, images, presentImage(proof), now);
  }

  private read(): RememberedProof | undefined {
    return this.store.get<RememberedProof>(storeKey);
  }
}

function presentImage(proof: RememberedProof | undefined): FileIdentity | undefined {
  return proof && identifyTarget(proof.image.path);
}
