import type { Services } from './services';

/** Looks at everything that a sandbox needs, and shows how it stands. */
export async function checkSetup({ setupCheck }: Services): Promise<void> {
  await setupCheck.show();
}
