import type { ModelHealth, SignedUpstream } from './gateway';
import { checkModel } from './modelCheck';
import type { ModelNetwork } from './modelConnection';
import { isUnreachable } from './modelHealth';

/** Looks by itself how models are, so that one that was not there does not stay so for ever without a request. */
export class ModelRecheck {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly closing = new AbortController();

  /**
   * @param milliseconds between two looks
   * @param isBusy whether a request is under way, which then tells how its model is
   * @param tell hears what was seen; has to be followed by {@link heard}
   */
  constructor(
    private readonly network: ModelNetwork,
    private readonly milliseconds: number,
    private readonly isBusy: (providerId: string) => boolean,
    private readonly tell: (health: ModelHealth) => void,
  ) {}

  /** Looks now. */
  check(upstream: SignedUpstream): void {
    checkModel(upstream, this.network, this.closing.signal).then(
      ({ health }) => this.tell(health),
      () => undefined, // the gateway was closed
    );
  }

  /** Something is known of a model; while it is not there it is looked at again. */
  heard(upstream: SignedUpstream, health: ModelHealth): void {
    clearTimeout(this.timers.get(upstream.providerId));
    if (isUnreachable(health) && !this.closing.signal.aborted) this.later(upstream);
  }

  close(): void {
    this.closing.abort();
    this.timers.forEach((timer) => clearTimeout(timer));
  }

  private later(upstream: SignedUpstream): void {
    const onTime = (): void => {
      if (this.isBusy(upstream.providerId)) this.later(upstream);
      else this.check(upstream);
    };
    this.timers.set(upstream.providerId, setTimeout(onTime, this.milliseconds));
  }
}
