import type { ExtensionContext } from 'vscode';
import { ModelApprovals } from './modelApprovals';
import { GrantedModels } from './modelGrants';
import { Secrets } from './secrets';

/** What the user decided about models, and the secrets for them, made and connected. */
export class WindowModels {
  readonly secrets: Secrets;
  readonly approvals: ModelApprovals;
  readonly granted: GrantedModels;

  constructor({ secrets, globalState }: Pick<ExtensionContext, 'secrets' | 'globalState'>) {
    this.secrets = new Secrets(secrets);
    this.approvals = new ModelApprovals(globalState);
    this.granted = new GrantedModels(this.approvals, this.secrets);
  }
}
