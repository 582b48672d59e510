import { say } from '../setup/progress';
import type { ProjectModel } from './projectModel';
import { plainLine } from './terminalText';

/** Says why no real model will answer. */
export function announceMissingModel(model: ProjectModel): void {
  if (model.kind === 'unreachable') {
    say(
      `The model that opencode.json names can't be reached (${model.addresses.map(plainLine).join(', ')}).`,
    );
  } else if (model.kind === 'none') {
    say(
      'No model is configured in this folder (it has no opencode.json that names one), and none is known here.',
    );
  }
}

/** Says that it is not a real model that will answer. */
export function announceDemoModel(): void {
  say(
    'The DEMO MODEL answers instead: it is scripted, not real, and does only what was written down in advance.',
  );
}

/** Says what the question is about that comes at the first start. @param baseUrl of the demo model */
export function announceDemoQuestion(baseUrl: string): void {
  say(
    `At the first start VS Code asks whether prompts may go to ${new URL(baseUrl).host}: that is the demo model, on this computer. Choose the first entry.`,
  );
}
