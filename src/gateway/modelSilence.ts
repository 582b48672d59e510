/** Notices how long nothing has come. */
export interface Silence {
  /** Something came: begins to count anew. @returns whether a silence had been told before */
  readonly end: () => boolean;
  readonly stop: () => void;
}

/**
 * Calls `onSilent` with seconds whenever nothing has come for so long, and again after each further such while.
 * @param onSilent returns whether it told that
 */
export function watchSilence(milliseconds: number, onSilent: (seconds: number) => boolean): Silence {
  let heard = performance.now();
  let isTold = false;
  const timer = setInterval(() => {
    if (onSilent(Math.round((performance.now() - heard) / 1000))) isTold = true;
  }, milliseconds);
  return {
    end() {
      const wasTold = isTold;
      isTold = false;
      heard = performance.now();
      timer.refresh();
      return wasTold;
    },
    stop: () => clearInterval(timer),
  };
}
