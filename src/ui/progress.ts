import * as vscode from 'vscode';

/** What a notification says of work that goes on; `percent` is of all of it and draws a bar. */
export type ReportProgress = (text: string, percent?: number) => void;

/** Does work while a notification shows how far it is and offers to cancel it. */
export async function withProgress<Result>(
  title: string,
  work: (signal: AbortSignal, report: ReportProgress) => Promise<Result>,
): Promise<Result> {
  const location = vscode.ProgressLocation.Notification;
  return await vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const cancelling = new AbortController();
    const subscription = token.onCancellationRequested(() => cancelling.abort());
    let shown = 0;
    try {
      return await work(cancelling.signal, (message, percent) => {
        progress.report({ message, ...(percent === undefined ? {} : { increment: percent - shown }) });
        shown = percent ?? shown;
      });
    } finally {
      subscription.dispose();
    }
  });
}
