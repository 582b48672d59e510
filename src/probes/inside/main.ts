/**
 * Runs inside a sandbox in the agent's place, under the image's Bun, and tries to get out. It waits for a line on its
 * terminal, tries everything, says for each attempt what it has got, and waits to be ended: meanwhile the host looks
 * at it. Nothing that it says is believed but secrets that it can't know.
 */
import type { Plan } from '../plan';
import { probes } from '../probes';
import { reportLine, sayWord } from '../report';
import type { Attack } from './attack';
import { fill, flood } from './flood';
import { loadSystemCalls } from './systemCalls';

/** One that hangs must not keep the others from being tried. */
const patienceMilliseconds = 6000;

const plan = JSON.parse(Buffer.from(process.argv[2] ?? '', 'base64').toString('utf8')) as Plan;

function print(text: string): void {
  process.stdout.write(text);
}

function inTime(work: Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it took too long')), patienceMilliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function main(): Promise<void> {
  const ffi = await import('bun:ffi');
  const system = loadSystemCalls(ffi, process.arch);
  for (const { id, attack } of probes) {
    const tools: Attack = { plan, door: plan.doors[id] ?? '', system, print };
    try {
      const said = await inTime(Promise.resolve().then(() => attack(tools)));
      print(reportLine(plan.token, { id, said }));
    } catch (error) {
      print(reportLine(plan.token, { id, said: '', failure: String(error) }));
    }
  }
  print(sayWord(plan.token, 'tried'));
}

// each is a way to end a program in the foreground, and this one has to stay
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM', 'SIGURG'] as const) process.on(signal, () => undefined);
// a terminal that is closed is no reason to go for who wants to stay
process.stdin.on('error', () => undefined);
process.stdout.on('error', () => undefined);
setInterval(() => undefined, 60_000);
let heard = '';
process.stdin.on('data', (data: Buffer) => {
  heard += data.toString('latin1');
  if (heard.includes(`go ${plan.token}`)) {
    heard = '';
    void main();
  } else if (heard.includes(`flood ${plan.token}`)) {
    heard = '';
    flood(plan);
  } else if (heard.includes(`fill ${plan.token}`)) {
    heard = '';
    fill(plan);
  }
});
print(sayWord(plan.token, 'ready'));
