import { commandIds, settingKeys, settingName } from '../contributions';
import { type Message, message } from '../sandbox/message';
import { pullFolderSettings } from '../sandbox/refusePullFolder';
import { type RemedyAction, UserError } from '../sandbox/userError';
import { saysSo } from './saysSo';

interface KnownFailure {
  readonly code: string;
  /** in what Apptainer 1.2 to 1.5 prints */
  readonly pattern: RegExp;
  /** where to choose something else, if that is what helps */
  readonly setting?: string;
  readonly describe: (source: string, target: string) => Message;
}

const imageSetting = settingName(settingKeys.image);
const sourceSetting = settingName(settingKeys.imageSource);

/** In this order: a specific text before one that is in many. */
const knownFailures: readonly KnownFailure[] = [
  {
    code: 'pull.rateLimit',
    pattern: /toomanyrequests|too many requests|pull rate limit|StatusCode: 429\b/i,
    describe: (source) =>
      message(
        'The registry of {0} takes no more pulls from you for now. Log in to it, or wait and try again.',
        source,
      ),
  },
  {
    code: 'pull.notFound',
    pattern: /manifest unknown|name unknown|repository name not known|name invalid/i,
    describe: (source) =>
      message('There is no image {0}. Check its name and its tag in the setting {1}.', source, sourceSetting),
  },
  {
    code: 'pull.proxy',
    // a proxy that refuses a tunnel is known by its words alone, with a capital; errors of Go's own have a colon or none
    pattern: /proxyconnect|: Get "https:[^"]*": (?!EOF\b)[A-Z][A-Za-z -]*\r?$|Proxy Authentication Required/m,
    describe: (source) =>
      message(
        'The proxy did not let the pull of {0} through. Check the variables http_proxy and https_proxy of your session or, where there are none, VS Code’s setting {1}.',
        source,
        'http.proxy',
      ),
  },
  {
    code: 'pull.unauthorized',
    pattern:
      /unauthorized|authentication required|: denied\b|requested access to the resource is denied|403 \(?forbidden/i,
    describe: (source) =>
      message(
        'The registry does not give out {0} without a login, or it does not exist. Log in, or check the name.',
        source,
      ),
  },
  {
    code: 'pull.registryFails',
    pattern: /status ?code:? 5\d\d\b/i,
    describe: (source) =>
      message('The registry of {0} does not work at the moment. Wait and try again.', source),
  },
  {
    code: 'pull.noHttps',
    pattern: /server gave HTTP response to HTTPS client/i,
    describe: (source) =>
      message(
        'The registry of {0} does not speak HTTPS, so nobody can tell whose image it would be. Use another registry.',
        source,
      ),
  },
  {
    code: 'pull.certificate',
    pattern: /x509: |certificate (signed by unknown authority|is not trusted|has expired)/i,
    describe: (source) =>
      message(
        'The certificate of the registry of {0} could not be verified. If your site has an authority of its own, set SSL_CERT_FILE to its file and restart VS Code; else ask who runs this machine or the registry.',
        source,
      ),
  },
  {
    code: 'pull.noexec',
    pattern: /'noexec' mount option/,
    setting: pullFolderSettings.temporary,
    describe: () =>
      message(
        "Images can't be unpacked in the temporary folder, which allows no programs. Choose a folder on another disk in the setting {0}.",
        pullFolderSettings.temporary,
      ),
  },
  {
    code: 'pull.noTemporaryFolder',
    pattern: /failed to create build parent dir/,
    setting: pullFolderSettings.temporary,
    describe: () =>
      message(
        "The temporary folder can't be used. Choose another one in the setting {0}.",
        pullFolderSettings.temporary,
      ),
  },
  {
    code: 'pull.cacheFull',
    pattern: /(\/cache\/|error writing layer)[^\n]*(no space left on device|disk quota exceeded)/i,
    setting: pullFolderSettings.cache,
    describe: () =>
      message(
        "Apptainer's cache has no more room. Empty it (Check Setup says how), or choose a folder with more room in the setting {0}.",
        pullFolderSettings.cache,
      ),
  },
  {
    code: 'pull.targetFull',
    pattern: /copying image out of cache[^\n]*(no space left on device|disk quota exceeded)/i,
    describe: (_source, target) =>
      message(
        'There is no room for the image {0}. Free some space, or choose another place in the setting {1}.',
        target,
        imageSetting,
      ),
  },
  {
    code: 'pull.targetNotWritable',
    pattern: /could not open temporary file for copy|\.partial[^\n]*permission denied/i,
    describe: (_source, target) =>
      message(
        "The image {0} can't be written. Check the permissions of its folder, or choose another place in the setting {1}.",
        target,
        imageSetting,
      ),
  },
  {
    code: 'pull.corrupt',
    pattern: /error verifying sha256 checksum|digest did not match|gzip: invalid (checksum|header)/i,
    describe: (source) =>
      message(
        'What the registry sent of {0} is not what it announced, so it was not used. Try again; if that does not help, tell who runs the registry.',
        source,
      ),
  },
  {
    code: 'pull.brokenOff',
    pattern: /unexpected EOF|connection reset by peer|stream error|context deadline exceeded/i,
    describe: (source) =>
      message(
        'The connection broke off while {0} was pulled. Pull it again: what has come already is in the cache of Apptainer.',
        source,
      ),
  },
  {
    code: 'pull.noSpace',
    pattern: /no space left on device|disk quota exceeded/i,
    setting: pullFolderSettings.temporary,
    describe: () =>
      message(
        'There is not enough room to unpack the image (two to three times its size). Choose a folder with more room in the setting {0}.',
        pullFolderSettings.temporary,
      ),
  },
  {
    code: 'pull.noMksquashfs',
    pattern: /mksquashfs[^\n]*(executable file not found|no such file)/,
    describe: () =>
      message(
        "Apptainer can't pull images here, because the program mksquashfs is missing. Install squashfs-tools.",
      ),
  },
  {
    code: 'pull.wrongArchitecture',
    pattern:
      /image's architecture \([^)]*\) could not run on the host's|does not match build arch|exec format error|no image found in (image index|manifest list) for architecture/i,
    describe: (source) =>
      message(
        'The image {0} does not exist for this kind of processor. Choose another one in the setting {1}.',
        source,
        sourceSetting,
      ),
  },
  {
    code: 'pull.unreachable',
    pattern:
      /connection refused|no such host|network is unreachable|no route to host|i\/o timeout|TLS handshake timeout|temporary failure in name resolution|server misbehaving/i,
    describe: (source) =>
      message(
        "The registry of {0} can't be reached from this machine. Check the network; if there is a proxy, set http_proxy and https_proxy, or VS Code’s setting {1}.",
        source,
        'http.proxy',
      ),
  },
];

const loginHelps = ['pull.unauthorized', 'pull.rateLimit'];
const login: RemedyAction = { kind: 'runCommand', command: commandIds.registryLogin };
const showLog: RemedyAction = { kind: 'showLog' };

/**
 * The error for a person when `apptainer pull` has failed.
 * @param stderr what it printed; a registry can have written parts of it, so it only goes into the cause, for the log
 */
export function explainPullFailure(
  stderr: string,
  source: string,
  target: string,
  cause: unknown,
): UserError {
  const known = knownFailures.find(({ pattern }) => saysSo(stderr, pattern));
  const description =
    known?.describe(source, target) ??
    message('The image {0} could not be pulled. The log shows what Apptainer said.', source);
  const code = known?.code ?? 'pull.failed';
  return new UserError(code, description, actionFor(code, known?.setting), { cause });
}

function actionFor(code: string, setting: string | undefined): RemedyAction {
  if (setting !== undefined) return { kind: 'openSetting', setting };
  return loginHelps.includes(code) ? login : showLog;
}
