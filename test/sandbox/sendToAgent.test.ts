import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDemoModel, type DemoModel } from '../../scripts/demoModel/server';
import { agentEnvironment } from '../../src/opencode/environment';
import { managedConfiguration } from '../../src/opencode/managedConfiguration';
import { pasteOf } from '../../src/ui/terminal/agentPrompt';
import { configureModel, greetingScenario } from '../support/agentWorkspace';
import { image } from '../support/environment';
import { emptyPrompt } from '../support/opencodePrompt';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

describe('sending to the agent', () => {
  let folders: TestFolders;
  let model: DemoModel;
  beforeEach(async () => {
    folders = new TestFolders();
    model = await startDemoModel({ scenario: greetingScenario });
    configureModel(folders.workspace, model.baseUrl);
  });
  afterEach(async () => {
    await model.close();
    folders.remove();
  });

  it('puts references into opencode’s prompt, and submits nothing', async function () {
    this.timeout(400_000);
    writeFileSync(join(folders.workspace, 'plot.py'), 'one\ntwo\nthree\n');
    const { connection } = await startSandbox(
      specify(folders, {
        kind: 'agent',
        image: identified(image()),
        network: 'open',
        opencodeConfiguration: managedConfiguration([
          readFileSync(join(folders.workspace, 'opencode.json'), 'utf8'),
        ]),
        insideEnvironment: { ...agentEnvironment },
      }),
    );
    const screen = await ScreenReader.attach(connection);
    const shows = (text: RegExp): Promise<unknown> =>
      waitUntil(
        `it shows ${text}`,
        () => text.test(screen.text()),
        120_000,
        () => screen.text(),
      );
    await shows(emptyPrompt);
    const references = pasteOf([{ path: 'plot.py', lines: { first: 1, last: 2 } }]);
    await waitUntil(
      'the references are taken',
      async () => {
        connection.sendInput(references);
        // what comes in opencode’s first seconds is lost
        return await waitUntil('', () => screen.text().includes('@plot.py#L1-L2'), 5000).catch(
          () => false as const,
        );
      },
      120_000,
    );
    connection.sendInput('and more');
    await shows(/@plot\.py#L1-L2\s+and more/);
    assert.equal(model.requests.length, 0);
    await connection.stop();
  });
});
