import type { ExtensionContext } from 'vscode';
import { ModelApprovals } from './modelApprovals';
import { GrantedModels } from './modelGrants';
import { askAboutModel } from './modelQuestion';
import { Secrets } from '../secrets';

/** What the user decided about models, and the secrets for them, made and connected. */
export class WindowModels {
  readonly secrets: Secrets;
  readonly approvals: ModelApprovals;
  readonly granted: GrantedModels;

  /** @param machine as `machineIdentity` gives it @param onApprove called after a model was approved for a folder */
  constructor(
    { secrets, globalState }: Pick<ExtensionContext, 'secrets' | 'globalState'>,
    machine: string,
    onApprove: () => void,
  ) {
    this.secrets = new Secrets(secrets, machine);
    this.approvals = new ModelApprovals(globalState, machine, askAboutModel, onApprove);
    this.granted = new GrantedModels(this.approvals, this.secrets);
  }
}
