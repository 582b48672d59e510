import { randomBytes } from 'node:crypto';
import { findApptainer } from '../apptainer/find';
import { readImageFacts } from '../apptainer/imageFacts';
import { refuseChangedImage } from '../apptainer/imageIntegrity';
import { ImageRecords } from '../apptainer/imageRecords';
import { identified } from '../host/fileIdentity';
import { readFolderFacts, readPlace } from '../host/folderFacts';
import { findRunDirectoryParents } from '../host/runDirectoryParents';
import { findTemporaryParents } from '../host/temporaryFolder';
import { prepareAgentHome } from '../opencode/agentHome';
import { isCatalogueSpare } from '../opencode/catalogue';
import { configurationNotes } from '../opencode/configurationNotes';
import { agentEnvironment } from '../opencode/environment';
import { managedConfiguration, startingProvider } from '../opencode/managedConfiguration';
import { readProjectConfiguration } from '../opencode/projectConfiguration';
import type { Surroundings } from '../sandbox/forbiddenPlaces';
import { type Message, message } from '../sandbox/message';
import type { NetworkAccess, SandboxSecrets } from '../sandbox/networkAccess';
import type { Place } from '../sandbox/paths';
import { refuseHost, refuseWorkspace } from '../sandbox/refusals';
import { refuseImage } from '../sandbox/refuseImage';
import type { SandboxSpecification } from '../sandbox/specification';
import type { UserError } from '../sandbox/userError';
import { imageParts } from './imageParts';
import { protectWorkspace } from './protectWorkspace';
import { type ModelAccess, modelAccess, noGrants } from './modelAccess';
import { makeFolder, makeIndexDirectory, makeStorageFolders } from './storageFolders';
import { undoPart } from './undoFolder';
import type { PrepareRequest } from './prepareRequest';
import { readSurroundings, reserve } from './surroundings';

export interface PreparedSandbox {
  readonly specification: SandboxSpecification;
  /** for the supervisor's standard input, and nothing else */
  readonly secrets: SandboxSecrets;
  /** what the user should know besides: a link that was followed, a configuration with consequences */
  readonly notes: readonly Message[];
}

/**
 * Does everything on the host that comes before a supervisor: finds Apptainer and the image, refuses what must not
 * be bound, makes the agent's home ready, and notes the identity of each path, so that the supervisor binds what was
 * checked.
 * @throws UserError when anything is not as it must be; Cancelled
 */
export async function prepareSandbox(request: PrepareRequest): Promise<PreparedSandbox> {
  const { settings } = request;
  refuseIf(refuseHost(request));
  const surroundings = await readSurroundings(request);
  const workspace = await resolveWorkspace(request.workspace, surroundings);
  const workspaces = await withOthers(workspace, request.otherWorkspaces);
  const apptainer = await findApptainer({
    configuredPath: settings.apptainerPath,
    forbiddenFolders: workspaces.map(({ path }) => path),
    ...{ environment: request.environment, signal: request.signal },
  });
  const image = await resolveImage(request, workspaces);
  const home = await prepareAgentHome({
    workspace,
    // a program that is run gets nothing of what agents have
    setting: request.kind === 'run' ? 'none' : settings.agentHome,
    surroundings: await withPrograms(surroundings, apptainer.path, image),
  });
  const models = await modelParts(request, workspace.path);
  const guard = await guardOf(request, workspace.path, home);
  const specification: SandboxSpecification = {
    id: randomBytes(8).toString('hex'),
    kind: request.kind,
    apptainer: apptainer.path,
    ...(await imageParts(request, image, workspace.path)),
    workspace: await identified(workspace.path),
    ...guard.parts,
    home,
    network: settings.network,
    access: networkAccessOf(request, models.models),
    opencodeConfiguration: models.configuration,
    ...(models.isCatalogueSpare ? { withoutCatalogue: true } : {}),
    insideEnvironment: { ...agentEnvironment, ...guard.insideEnvironment },
    ...optionalParts(request),
    ptyModules: [...request.ptyModules],
    runDirectoryParents: await findRunDirectoryParents(request.environment),
    temporaryFiles: { parents: await findTemporaryParents(), limitBytes: settings.temporaryFilesLimitBytes },
    ...(await storageParts(request, workspaces, home)),
    detachedTimeoutMilliseconds: settings.detachedTimeoutMilliseconds,
  };
  return {
    specification,
    secrets: secretsOf(request, models.keys),
    notes: [...(await notesOn(request.workspace, specification)), ...models.notes, ...guard.notes],
  };
}

async function guardOf(
  { settings, storageDirectory }: PrepareRequest,
  workspace: string,
  home: SandboxSpecification['home'],
): ReturnType<typeof protectWorkspace> {
  return protectWorkspace(workspace, home, settings, await makeIndexDirectory(storageDirectory));
}

async function withOthers(
  workspace: Place,
  others: readonly string[] = [],
): Promise<readonly [Place, ...Place[]]> {
  return [workspace, ...(await Promise.all(others.map(readPlace)))];
}

/** What is kept of a run, and of the workspace, in extension storage. */
async function storageParts(
  request: PrepareRequest,
  workspaces: readonly [Place, ...Place[]],
  home: SandboxSpecification['home'],
): Promise<Awaited<ReturnType<typeof makeStorageFolders>> & Pick<SandboxSpecification, 'undo'>> {
  return {
    ...(await undoPart(request, { workspace: workspaces[0], workspaces, home, makeFolder })),
    ...(await makeStorageFolders(request.storageDirectory, home)),
  };
}

async function modelParts(
  { settings, grants = noGrants }: PrepareRequest,
  workspace: string,
): Promise<
  ModelAccess & { readonly configuration: Record<string, unknown>; readonly isCatalogueSpare: boolean }
> {
  const project = await readProjectConfiguration(workspace);
  const access = modelAccess(workspace, project, grants);
  const { withheld } = access;
  const first = startingProvider(project);
  // the one that opencode starts on comes first: it is looked at before a start
  const models = [...access.models].sort(
    (one, other) => Number(other.providerId === first) - Number(one.providerId === first),
  );
  return {
    ...access,
    models,
    configuration: managedConfiguration(project, { ...settings, withheld }),
    isCatalogueSpare: isCatalogueSpare(project),
  };
}

function networkAccessOf(
  { allowedHosts = [], siteProxy }: PrepareRequest,
  models: NetworkAccess['models'],
): NetworkAccess {
  return {
    allowedHosts: [...allowedHosts],
    models,
    // without its credentials, which are secrets
    ...(siteProxy === undefined
      ? {}
      : { siteProxy: { url: siteProxy.url, exceptions: siteProxy.exceptions } }),
  };
}

function secretsOf(
  { siteProxy, agentVariables = {} }: PrepareRequest,
  modelKeys: SandboxSecrets['modelKeys'],
): SandboxSecrets {
  const authorization = siteProxy?.authorization;
  return {
    modelKeys,
    environment: { ...agentVariables },
    ...(authorization === undefined ? {} : { siteProxyAuthorization: authorization }),
  };
}

function optionalParts({
  settings,
  prompt,
  program,
  deadlineMilliseconds,
}: PrepareRequest): Pick<
  SandboxSpecification,
  'mayWriteClipboard' | 'prompt' | 'program' | 'deadlineMilliseconds'
> {
  return {
    ...(program === undefined ? {} : { program: [...program] }),
    ...(settings.mayWriteClipboard === true ? { mayWriteClipboard: true } : {}),
    ...(prompt === undefined ? {} : { prompt }),
    ...(deadlineMilliseconds === undefined ? {} : { deadlineMilliseconds }),
  };
}

async function notesOn(
  openedPath: string,
  { workspace, home, opencodeConfiguration }: SandboxSpecification,
): Promise<Message[]> {
  const homePath = home.kind === 'folder' ? home.folder.path : undefined;
  return [
    ...(openedPath === workspace.path
      ? []
      : [message('{0} leads to {1}, which is what the sandbox gets.', openedPath, workspace.path)]),
    ...(await configurationNotes(workspace.path, homePath, opencodeConfiguration)),
  ];
}

async function resolveWorkspace(openedPath: string, surroundings: Surroundings): Promise<Place> {
  const isPath = openedPath.startsWith('/') && !openedPath.includes('\0');
  const facts = await readFolderFacts(isPath ? (await readPlace(openedPath)).path : openedPath);
  refuseIf(refuseWorkspace(facts, surroundings));
  return facts.place;
}

async function resolveImage(request: PrepareRequest, workspaces: readonly Place[]): Promise<string> {
  const facts = await readImageFacts(request.settings.image);
  refuseIf(refuseImage(facts, workspaces));
  const { path } = facts.place;
  await refuseChangedImage(new ImageRecords(request.storageDirectory), path, request.signal);
  return path;
}

async function withPrograms(
  surroundings: Surroundings,
  apptainer: string,
  image: string,
): Promise<Surroundings> {
  const programs = await Promise.all([reserve('apptainer', apptainer), reserve('image', image)]);
  return { ...surroundings, reserved: [...surroundings.reserved, ...programs] };
}

function refuseIf(refusal: UserError | undefined): void {
  if (refusal !== undefined) throw refusal;
}
