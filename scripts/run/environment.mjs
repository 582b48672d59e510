import { delimiter } from 'node:path';
import { userName } from './user.mjs';

/** How programs look, reach the network and trust it; and what is meant for us. */
const passedOn = [
  /^(LANG|LC_\w+|TERM|COLORTERM|CI|CHROMIUM|VSCODE_EXECUTABLE)$/,
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/,
  /^(https?|no|all)_proxy$/i,
  /^npm_config_(registry|cafile|ca|proxy|https_proxy|noproxy|strict_ssl)$/i,
  /^SANDBOXED_AGENT_/,
];

/**
 * The environment for the ordinary user: nothing of root's but what is listed above.
 * @param {NodeJS.ProcessEnv} root
 * @param {string} home
 * @returns {NodeJS.ProcessEnv}
 */
export function ordinaryEnvironment(root, home) {
  const kept = Object.entries(root).filter(([name]) => passedOn.some((pattern) => pattern.test(name)));
  // `npm run` puts root's own node_modules first
  const path = (root.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    HOME: home,
    USER: userName,
    LOGNAME: userName,
  };
}
