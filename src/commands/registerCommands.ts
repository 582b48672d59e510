import * as vscode from 'vscode';
import { commandIds, type CommandId } from '../contributions';
import { archiveSession, unarchiveSession } from './archiveSession';
import { allowHost } from './allowHost';
import { allowHostOnce } from './allowHostOnce';
import { chooseAllowedHosts } from './allowedHosts';
import { attach } from './attach';
import { buildImage } from './buildImage';
import { checkForUpdate } from './checkForUpdate';
import { checkSetup } from './checkSetup';
import { completeImage } from './completeImage';
import { configureModel } from './configureModel';
import { copyCommandLine } from './copyCommandLine';
import { copySessionId } from './copySessionId';
import { deleteSession, restoreSession } from './deleteSession';
import { exportNetworkLog } from './exportNetworkLog';
import { exportProof } from './exportProof';
import { exportSession } from './exportSession';
import { filterNetworkLog } from './filterNetworkLog';
import { keepDenied } from './keepDenied';
import { filterSessions, refreshSessions, sortSessions } from './listSessions';
import { networkLog } from './networkLog';
import { openProofAsMarkdown } from './openProofAsMarkdown';
import { openReportAsMarkdown } from './openReportAsMarkdown';
import { openSessionFile } from './openSessionFile';
import { openShell } from './openShell';
import { openTranscript, showEarlierMessages } from './openTranscript';
import { proveSandbox } from './proveSandbox';
import { pullImage } from './pullImage';
import { registerCommand } from './registerCommand';
import { registryLogin } from './registryLogin';
import { removeApiKey } from './removeApiKey';
import { renameSession } from './renameSession';
import { forkSession, resumeSession } from './resumeSession';
import {
  keepAllChanges,
  keepChange,
  openChange,
  revertAllChanges,
  revertChange,
  reviewChanges,
  undoRevert,
} from './reviewChanges';
import { runActiveFile } from './runActiveFile';
import { runTask } from './runTask';
import { selectImage } from './selectImage';
import { sendToAgent } from './sendToAgent';
import type { Services } from './services';
import { setApiKey } from './setApiKey';
import { setEnvironmentVariable } from './setEnvironmentVariable';
import { showIsolationReport } from './showIsolationReport';
import { showLog } from './showLog';
import { showFindings } from './showFindings';
import { openFindings } from './openFindings';
import { showFindingDiff } from './showFindingDiff';
import { allowFinding } from './allowFinding';
import { quarantineFinding } from './quarantineFinding';
import { restoreQuarantined } from './restoreQuarantined';
import { pauseEditor } from './pauseEditor';
import { startSandboxedAgent } from './startSandboxedAgent';
import { stop } from './stop';
import { unpackApptainer } from './unpackApptainer';

type Command = (services: Services, row: unknown, selected?: unknown) => void | Promise<void>;

const commands: Readonly<Record<Exclude<CommandId, typeof commandIds.collectDiagnostics>, Command>> = {
  [commandIds.start]: startSandboxedAgent,
  [commandIds.openShell]: openShell,
  [commandIds.runTask]: runTask,
  [commandIds.runActiveFile]: runActiveFile,
  [commandIds.attach]: attach,
  [commandIds.stop]: stop,
  [commandIds.checkSetup]: checkSetup,
  [commandIds.unpackApptainer]: unpackApptainer,
  [commandIds.pullImage]: pullImage,
  [commandIds.checkForUpdate]: checkForUpdate,
  [commandIds.registryLogin]: registryLogin,
  [commandIds.completeImage]: completeImage,
  [commandIds.buildImage]: buildImage,
  [commandIds.selectImage]: selectImage,
  [commandIds.showIsolationReport]: showIsolationReport,
  [commandIds.openReportAsMarkdown]: openReportAsMarkdown,
  [commandIds.proveSandbox]: proveSandbox,
  [commandIds.openProofAsMarkdown]: openProofAsMarkdown,
  [commandIds.exportProof]: exportProof,
  [commandIds.copyCommandLine]: copyCommandLine,
  [commandIds.networkLog]: networkLog,
  [commandIds.allowedHosts]: chooseAllowedHosts,
  [commandIds.allowHost]: allowHost,
  [commandIds.allowHostOnce]: allowHostOnce,
  [commandIds.keepDenied]: keepDenied,
  [commandIds.filterNetworkLog]: filterNetworkLog,
  [commandIds.exportNetworkLog]: exportNetworkLog,
  [commandIds.configureModel]: configureModel,
  [commandIds.setApiKey]: setApiKey,
  [commandIds.removeApiKey]: removeApiKey,
  [commandIds.setEnvironmentVariable]: setEnvironmentVariable,
  [commandIds.resumeSession]: resumeSession,
  [commandIds.forkSession]: forkSession,
  [commandIds.renameSession]: renameSession,
  [commandIds.archiveSession]: archiveSession,
  [commandIds.unarchiveSession]: unarchiveSession,
  [commandIds.deleteSession]: deleteSession,
  [commandIds.restoreSession]: restoreSession,
  [commandIds.exportSession]: exportSession,
  [commandIds.copySessionId]: copySessionId,
  [commandIds.openTranscript]: openTranscript,
  [commandIds.showEarlierMessages]: showEarlierMessages,
  [commandIds.openSessionFile]: openSessionFile,
  [commandIds.refreshSessions]: refreshSessions,
  [commandIds.filterSessions]: filterSessions,
  [commandIds.sortSessions]: sortSessions,
  [commandIds.sendToAgent]: sendToAgent,
  [commandIds.showFindings]: showFindings,
  [commandIds.openFindings]: openFindings,
  [commandIds.showFindingDiff]: showFindingDiff,
  [commandIds.allowFinding]: allowFinding,
  [commandIds.quarantineFinding]: quarantineFinding,
  [commandIds.restoreQuarantined]: restoreQuarantined,
  [commandIds.pauseEditor]: pauseEditor,
  [commandIds.reviewChanges]: reviewChanges,
  [commandIds.openChange]: openChange,
  [commandIds.keepChange]: keepChange,
  [commandIds.revertChange]: revertChange,
  [commandIds.keepAllChanges]: keepAllChanges,
  [commandIds.revertAllChanges]: revertAllChanges,
  [commandIds.undoRevert]: undoRevert,
  [commandIds.showLog]: showLog,
};

/** Registers every command but the one that must work without the others. */
export function registerCommands(services: Services): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, run]) =>
      registerCommand(id as CommandId, services.say, (row, selected) => run(services, row, selected)),
    ),
  );
}
