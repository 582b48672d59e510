import { waitUntil } from '../../support/waitUntil';
import type { WorkbenchPage } from '../../ui/workbenchPage';

/** What VS Code's own list of running extensions says of ours: how long it took to activate, in milliseconds. */
export async function activationMilliseconds(page: WorkbenchPage): Promise<number> {
  await page.runCommand('Developer: Show Running Extensions');
  const milliseconds = await waitUntil('the list tells how long our activation took', async () => {
    const rows = await page.page.locator('.runtime-extensions-editor .monaco-list-row').allInnerTexts();
    const ours = rows.find((row) => row.includes('Sandboxed Agent'));
    return /Activation: (\d+)\s*ms/.exec(ours ?? '')?.[1];
  });
  return Number(milliseconds);
}
