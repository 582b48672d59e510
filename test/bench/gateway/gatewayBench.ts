import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { alternate, type Bench, type Figure, median, ratioTo, timed } from '../bench';
import { bulkBytes, quickEvents, wholeStream } from './answers';
import type { Client } from './client';
import { type Parts, startParts } from './parts';

const megabyte = 1024 * 1024;
const latencyRequests = 200;
const streamRequests = 40;
const parallelStreams = 200;
/** At the same time, while the memory is looked at. */
const workers = 32;
const usualRequests = 100_000;
/** Growth of the process between the second fifth and the last; the heap of an idle Node varies by about as much. */
const flatMegabytes = 16;

/** Round by round. */
interface Values {
  readonly direct: readonly number[];
  readonly gateway: readonly number[];
}

/** What the model gateway costs, against the model without it. */
export const gatewayBench: Bench = {
  async *run(signal) {
    const parts = await startParts();
    try {
      for (const measure of [latency, firstToken, pieces, throughput, secureThroughput, parallel, memory]) {
        signal.throwIfAborted();
        yield await measure(parts, signal);
      }
    } finally {
      await parts.close();
    }
  },
};

async function latency({ direct, gateway }: Parts): Promise<Figure> {
  const p50 = (client: Client) => async () => {
    const times: number[] = [];
    for (let index = 0; index < latencyRequests; index++) times.push(await timed(() => client.read('json')));
    return median(times);
  };
  const values = await alternate(p50(direct), p50(gateway));
  return added('latency of a short answer, p50', values, 1);
}

async function firstToken({ direct, gateway }: Parts): Promise<Figure> {
  const p50 = (client: Client) => async () => {
    const times: number[] = [];
    for (let index = 0; index < streamRequests; index++) {
      const start = performance.now();
      const answer = await client.open('short');
      // the end may come in the same moment
      const ended = once(answer, 'end');
      await once(answer, 'data');
      times.push(performance.now() - start);
      await ended;
    }
    return median(times);
  };
  const values = await alternate(p50(direct), p50(gateway));
  return added('first token of a stream, p50', values, 2);
}

/** What agents read: each piece by itself, as fast as a model can write them. Quick models write some thousand a second. */
async function pieces({ direct, gateway }: Parts): Promise<Figure> {
  const perSecond = (client: Client) => async () =>
    quickEvents / ((await timed(() => client.read('quick'))) / 1000);
  const values = await alternate(perSecond(direct), perSecond(gateway));
  return comparison(`pieces of a stream of ${quickEvents}`, 'pieces/s', values);
}

const rate = (client: Client) => async () => {
  const milliseconds = await timed(async () => {
    const bytes = await client.read('bulk');
    if (bytes !== bulkBytes) throw new Error(`${bytes} bytes came instead of ${bulkBytes}`);
  });
  return bulkBytes / megabyte / (milliseconds / 1000);
};

/** With two processors no gateway meets the goal: two relays that only pass bytes on have 0.4 to 0.6 (measured). */
async function throughput({ direct, relays, gateway }: Parts): Promise<Figure> {
  const values = await alternate(rate(direct), rate(gateway));
  const bare = await alternate(rate(direct), rate(relays));
  return comparison(
    `throughput of ${bulkBytes / megabyte} MB from a model on this computer (no TLS on either way)`,
    'MB/s',
    values,
    { 'ratio of two relays alone': ratioTo(bare.direct, bare.gateway) },
  );
}

/**
 * What a model elsewhere costs: somebody has to do TLS, and with the gateway it is not the client. No network is slower
 * here than loopback is.
 */
async function secureThroughput({ secure }: Parts): Promise<Figure> {
  const values = await alternate(rate(secure.direct), rate(secure.gateway));
  const name = `throughput of ${bulkBytes / megabyte} MB from a model elsewhere (TLS on both ways)`;
  return comparison(name, 'MB/s', values);
}

async function parallel({ direct, gateway }: Parts): Promise<Figure> {
  let lost = 0;
  const all = (client: Client) => () =>
    timed(async () => {
      const streams = Array.from({ length: parallelStreams }, async () => text(await client.open('stream')));
      const bodies = await Promise.allSettled(streams);
      lost += bodies.filter((body) => body.status === 'rejected' || body.value !== wholeStream).length;
    });
  const values = await alternate(all(direct), all(gateway));
  return {
    name: `${parallelStreams} streams at the same time`,
    unit: 'ms',
    values: { direct: median(values.direct), gateway: median(values.gateway), lost },
    goal: 'none lost or changed',
    isMet: lost === 0,
  };
}

async function memory(parts: Parts, signal: AbortSignal): Promise<Figure> {
  const requests = Number(process.env['SANDBOXED_AGENT_BENCH_REQUESTS'] ?? usualRequests);
  const samples: number[] = [];
  const fifth = Math.ceil(requests / 5);
  const start = performance.now();
  for (let step = 0; step < 5; step++) {
    signal.throwIfAborted();
    samples.push(await sampled(parts, fifth));
  }
  const [, second = NaN, , , last = NaN] = samples.map((bytes) => bytes / megabyte);
  return {
    name: `memory over ${5 * fifth} requests`,
    unit: 'MB',
    values: {
      'second fifth': second,
      'last fifth': last,
      growth: last - second,
      'requests/s': (5 * fifth) / ((performance.now() - start) / 1000),
    },
    goal: `growth at most ${flatMegabytes}`,
    isMet: last - second <= flatMegabytes,
  };
}

/** Sends requests from several clients. @returns the middle one of the gateway's sizes meanwhile, in bytes */
async function sampled({ gateway, gatewayMemory }: Parts, requests: number): Promise<number> {
  let left = requests;
  const sizes: number[] = [];
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      await gateway.read('json');
      if (left > 0 && left % Math.ceil(requests / 20) === 0) sizes.push(await gatewayMemory());
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return median(sizes);
}

function comparison(
  name: string,
  unit: string,
  { direct, gateway }: Values,
  further: Readonly<Record<string, number>> = {},
): Figure {
  const ratio = ratioTo(direct, gateway);
  return {
    name,
    unit,
    values: { direct: median(direct), gateway: median(gateway), ratio, ...further },
    goal: 'ratio at least 0.6',
    isMet: ratio >= 0.6,
  };
}

function added(name: string, values: Values, most: number): Figure {
  const more = median(values.gateway.map((value, round) => value - (values.direct[round] ?? NaN)));
  return {
    name,
    unit: 'ms',
    values: { direct: median(values.direct), gateway: median(values.gateway), added: more },
    goal: `added less than ${most}`,
    isMet: more < most,
  };
}
