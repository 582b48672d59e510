// VS Code's own log lines, which come through the same door as the console of the extension host. The last three are
// about what the host is installed without: file logging, a watchdog for a dead parent, and a program that searches.
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
  /ripgrep\/bin\/rg ENOENT/,
];

/** Whether a line of the page's console is VS Code's own chatter and no output of a test. */
export function isNoise(line: string): boolean {
  return noise.some((pattern) => pattern.test(line));
}
