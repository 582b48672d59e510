import { message } from '../sandbox/message';
import type { Services } from './services';

/** Puts VS Code's own git and automatic tasks at rest until nothing severe waits for an answer, or puts them back. */
export async function pauseEditor({ guard, say }: Services): Promise<void> {
  if (guard.rest.isResting) {
    await guard.rest.wake();
    await say.information(message('VS Code’s own git and automatic tasks are as they were.'));
    return;
  }
  await guard.rest.rest();
  await say.information(
    message(
      'VS Code’s own git is off in this window’s folders, and automatic tasks are off. Both are put back when nothing severe is left among the findings, or by the same command.',
    ),
  );
}
