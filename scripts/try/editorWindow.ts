/** An editor that was opened for somebody. */
export interface EditorWindow {
  /** the exit code, when it ended by itself */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}
