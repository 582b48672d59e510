import type { Socket } from 'node:net';
import type { NetworkEntry, NetworkReason } from './gateway';
import { Refusal, verdictOf } from './refusal';

/** Hosts in entries are no longer than a name can be (RFC 1035 2.3.4). */
const longestHost = 253;

/** One thing that the agent tried: its entry in the log, and the switch that ends it. */
export class Attempt {
  /** to which it is connected, once it is; never through a proxy of the site */
  address: string | undefined;
  private readonly controller = new AbortController();
  private readonly begin = performance.now();
  private readonly timer: NodeJS.Timeout;
  private entry: NetworkEntry;
  private upstream: Socket | undefined;
  private isOver = false;

  /**
   * @param what the host as normalised, or as written when it is none
   * @param tell gets the entry when it is decided and when it is over
   * @param lifetime after which it ends in any case, in milliseconds
   */
  constructor(
    what: Pick<NetworkEntry, 'id' | 'host' | 'port' | 'kind'>,
    private readonly tell: (entry: NetworkEntry) => void,
    lifetime: number,
  ) {
    this.entry = {
      ...what,
      host: what.host.slice(0, longestHost),
      time: Date.now(),
      verdict: 'allowed',
      bytesSent: 0,
      bytesReceived: 0,
    };
    this.timer = setTimeout(() => this.abort('timedOut'), lifetime);
  }

  get kind(): NetworkEntry['kind'] {
    return this.entry.kind;
  }

  /** Aborted with a {@link Refusal} when the attempt has to end. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Makes it end, whatever it is doing. @param address for `privateAddress` */
  abort(reason: NetworkReason, address?: string): void {
    this.controller.abort(new Refusal(reason, address));
  }

  /** It is decided: bytes may flow between the agent and `upstream`. */
  allowed(upstream: Socket): void {
    this.upstream = upstream;
    this.tell(this.entry);
  }

  /** It is over, and was refused or has failed. Only the first end counts. */
  refused({ reason, address }: Refusal): void {
    this.end({ verdict: verdictOf(reason), reason, ...(address === undefined ? {} : { address }) });
  }

  /** It is over, and nothing was wrong. */
  ended(): void {
    this.end({});
  }

  private end(change: Partial<NetworkEntry>): void {
    if (this.isOver) {
      return;
    }
    this.isOver = true;
    clearTimeout(this.timer);
    this.entry = {
      ...this.entry,
      ...change,
      bytesSent: this.upstream?.bytesWritten ?? 0,
      bytesReceived: this.upstream?.bytesRead ?? 0,
      durationMilliseconds: Math.round(performance.now() - this.begin),
    };
    this.tell(this.entry);
  }
}
