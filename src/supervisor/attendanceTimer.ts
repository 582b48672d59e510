/** How long the starter may take to connect before its sandbox is taken for abandoned. */
const firstConnectionMilliseconds = 30_000;

/** Calls back when nobody has been connected for too long. */
export class AttendanceTimer {
  private timer: NodeJS.Timeout;

  /**
   * @param detachedTimeoutMilliseconds after the last client has gone; 0 = at once
   * @param onAbandoned called at most once
   */
  constructor(
    private readonly detachedTimeoutMilliseconds: number,
    private readonly onAbandoned: () => void,
  ) {
    this.timer = setTimeout(onAbandoned, firstConnectionMilliseconds);
  }

  /** Whenever a client came or went: how many there are now. */
  changed(clients: number): void {
    clearTimeout(this.timer);
    if (clients === 0) {
      this.timer = setTimeout(this.onAbandoned, this.detachedTimeoutMilliseconds);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
