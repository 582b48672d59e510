import { contextKeys } from '../../contributions';
import { setContext } from '../setContext';

/** Tells `when` clauses whether a sandbox runs. */
export class RunningContext {
  private told: boolean | undefined;

  /** Tells it, if that is news. */
  update(isRunning: boolean): void {
    if (this.told !== isRunning) {
      this.told = isRunning;
      void setContext(contextKeys.running, isRunning);
    }
  }
}
