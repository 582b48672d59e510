/** Notices how long nothing has come. */
export interface Silence {
  /** Something came: begins to count anew. @returns whether a silence had been told before */
  readonly end: () => boolean;
  readonly stop: () => void;
}

/** Calls `onSilent` with seconds whenever nothing has come for so long, and again after each further such while. */
export function watchSilence(milliseconds: number, onSilent: (seconds: number) => void): Silence {
  let heard = performance.now();
  let isTold = false;
  const timer = setInterval(() => {
    isTold = true;
    onSilent(Math.round((performance.now() - heard) / 1000));
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
