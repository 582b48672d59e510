// VS Code's own log lines, which come through the same door as the console of the extension host. The last two are
// about optional native modules that the host is installed without: file logging, and a watchdog for a dead parent.
const noise = [
  /^Resolv(ing|ed) connection token/,
  /^Creating a socket/,
  /^Creation of workbench contribution/,
  /^\[(reconnection-grace-time|AccountPolicyGate|Service Worker)\]/,
  /^\[AgentHost/,
  /^Ignoring fetching additional/,
  /^Updating additional builtin/,
  /^Timed out waiting for authentication provider/,
  /^Canceled: Canceled/,
  /^Error: Could not locate the bindings file[^]*@vscode\/spdlog\/build/,
  /^(Error: )?Cannot find module '\.\/build\/Release\/watchdog'/,
];

/** Whether a line of the page's console is VS Code's own chatter and no output of a test. */
export function isNoise(line: string): boolean {
  return noise.some((pattern) => pattern.test(line));
}
