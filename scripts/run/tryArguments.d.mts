export interface TryArguments {
  readonly headless: boolean;
  readonly network: 'restricted' | 'open' | 'none';
  readonly timeoutMilliseconds: number;
  /** absolute */
  readonly folder: string | undefined;
  /** where in the arguments the folder stands */
  readonly folderPosition: number | undefined;
  readonly task: string | undefined;
}

/** @throws Error that says how to use it */
export function parseTryArguments(args: readonly string[]): TryArguments;
