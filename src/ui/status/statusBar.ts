import * as vscode from 'vscode';
import { commandIds, type CommandId } from '../../contributions';
import type { IndicatorInput, IndicatorState } from './indicator';
import { indicatorFor } from './statusText';
import { translate } from '../translate';

/** The one item in the status bar that says how isolated the sandboxes of this window are. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'sandboxedAgent.status',
    vscode.StatusBarAlignment.Left,
    priority,
  );
  /** a verdict grows old without anything happening */
  private timer: NodeJS.Timeout | undefined;
  /** all that the item shows */
  private shown = '';

  /** @param readInput what there is to show now */
  constructor(private readonly readInput: () => IndicatorInput) {
    this.item.name = vscode.l10n.t('Sandboxed Agent');
    this.update();
    this.item.show();
  }

  /** The text of the item, without its icon. */
  get text(): string {
    return indicatorFor(this.readInput(), translate).text;
  }

  /** Shows the present state. */
  update(): void {
    const input = this.readInput();
    const { state, text, icon, tooltip } = indicatorFor(input, translate);
    const hasSandbox = input.sandboxes.length > 0;
    const command = commandFor(state, input);
    const shown = JSON.stringify([state, text, icon, tooltip, command]);
    // each assignment is sent to the window, and would close a tooltip that somebody reads
    if (shown !== this.shown) {
      this.shown = shown;
      this.item.text = `$(${icon}) ${text}`;
      this.item.tooltip = tooltip;
      this.item.accessibilityInformation = {
        label: vscode.l10n.t('Sandboxed Agent. {0}', text),
        role: 'button',
      };
      this.item.backgroundColor = backgroundOf(state);
      this.item.command = command;
    }
    this.keepUpdating(hasSandbox);
  }

  dispose(): void {
    this.keepUpdating(false);
    this.item.dispose();
  }

  private keepUpdating(isNeeded: boolean): void {
    if (isNeeded) {
      this.timer ??= setInterval(() => this.update(), updateMilliseconds);
    } else {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }
}

/** What is to be done first. */
function commandFor(
  state: IndicatorState,
  { sandboxes, findings = 0, isSetupObstacle }: IndicatorInput,
): CommandId {
  if (findings > 0 && state !== 'broken') return commandIds.showFindings;
  if (sandboxes.length > 0) return commandIds.showIsolationReport;
  return isSetupObstacle === true ? commandIds.checkSetup : commandIds.start;
}

function backgroundOf(state: IndicatorState): vscode.ThemeColor | undefined {
  switch (state) {
    case 'broken':
    case 'degraded':
      return new vscode.ThemeColor('statusBarItem.errorBackground');
    default:
      return undefined;
  }
}

const updateMilliseconds = 1000;
/** Left of the items of language extensions, right of the branch; no meaning beyond that. */
const priority = 50;
