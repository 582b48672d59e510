// Runs in a sandbox under the image's Bun: has opencode write a file, takes that back, and sometimes takes the taking
// back back, again and again. Arguments: how many rounds, and the file for what was seen.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const rounds = Number(process.argv[2]);
const report = process.argv[3];
const env = { ...process.env, OPENCODE_SERVER_PASSWORD: 'word' };
// opencode would be Bun again
delete env.BUN_BE_BUN;
const server = spawn('opencode', ['serve', '--hostname', '127.0.0.1', '--port', '4196'], {
  cwd: process.cwd(),
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const seen = { written: 0, undone: 0, redone: 0, error: '' };

async function ask(method, path, body) {
  const response = await fetch(`http://127.0.0.1:4196${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from('opencode:word').toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.slice(0, 500)}`);
  return answer === '' ? undefined : JSON.parse(answer);
}

async function work() {
  const { id } = await ask('POST', '/session', {});
  for (let round = 0; round < rounds; round += 1) {
    const file = `u${round}-0.txt`;
    await ask('POST', `/session/${id}/message`, {
      model: { providerID: 'scripted', modelID: 'scripted' },
      parts: [{ type: 'text', text: `write u${round}` }],
    });
    seen.written += Number(existsSync(file));
    const messages = await ask('GET', `/session/${id}/message`);
    const asked = messages.findLast(({ info }) => info.role === 'user').info.id;
    await ask('POST', `/session/${id}/revert`, { messageID: asked });
    seen.undone += Number(!existsSync(file));
    if (round % 2 === 0) {
      await ask('POST', `/session/${id}/unrevert`);
      seen.redone += Number(existsSync(file));
    }
  }
  await ask('POST', `/session/${id}/fork`, {});
}

createInterface({ input: server.stdout }).on('line', (line) => {
  if (!line.includes('listening')) return;
  work()
    .catch((error) => {
      seen.error = String(error);
    })
    .finally(() => {
      writeFileSync(report, JSON.stringify(seen));
      server.kill('SIGTERM');
      process.exit(0);
    });
});
