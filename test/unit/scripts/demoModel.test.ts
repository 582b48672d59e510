import assert from 'node:assert/strict';
import type { Scenario, Step } from '../../../scripts/demoModel/scenario';
import { type DemoModel, type DemoModelOptions, startDemoModel } from '../../../scripts/demoModel/server';

const says = (step: Step): Scenario => ({ models: ['m'], title: 'T', rules: [], otherwise: [step] });

describe('demo model', () => {
  let model: DemoModel;
  const start = async (step: Step, options: DemoModelOptions = {}): Promise<void> => {
    model = await startDemoModel({ scenario: says(step), ...options });
  };
  const ask = (body: object = {}, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${model.baseUrl}/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body }),
    });

  afterEach(() => model.close());

  it('streams text and tool calls in pieces that add up', async () => {
    const text = 'A text that is longer than one piece of the stream, with ünïcödé 🙂.';
    await start({ text, tools: [{ name: 'write', arguments: { filePath: 'x', content: text } }] });
    const response = await ask({ stream: true });
    const events = (await response.text()).split('\n\n').filter(Boolean);
    assert.equal(events.pop(), 'data: [DONE]');
    const choices = events.flatMap((event) => (JSON.parse(event.slice(6)) as Chunk).choices);
    assert.equal(choices.map(({ delta }) => delta.content ?? '').join(''), text);
    const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
    assert.equal(calls[0]?.function.name, 'write');
    const joined = calls.map((call) => call.function.arguments).join('');
    assert.deepEqual(JSON.parse(joined), { filePath: 'x', content: text });
    assert.equal(choices.at(-1)?.finish_reason, 'tool_calls');
  });

  it('answers whole when no stream is asked for', async () => {
    await start({ text: 'hello' });
    const answer = (await (await ask()).json()) as { choices: { message: { content: string } }[] };
    assert.equal(answer.choices[0]?.message.content, 'hello');
  });

  it('fails with the status of the script', async () => {
    await start({ status: 503 });
    const response = await ask();
    assert.equal(response.status, 503);
    assert.equal(((await response.json()) as { error: { type: string } }).error.type, 'server_error');
  });

  it('breaks a stream off', async () => {
    await start({ text: 'a long text that needs several pieces', cutAfter: 2 });
    await assert.rejects(async () => (await ask({ stream: true })).text());
  });

  it('never answers a scripted hang, and still closes', async () => {
    const { promise: asked, resolve } = makeSignal();
    await start({ hang: true }, { onRequest: resolve });
    const answer = ask();
    const failed = assert.rejects(answer);
    await asked;
    await model.close();
    await failed;
  });

  it('lets only its key in, and records what it refused', async () => {
    const seen: boolean[] = [];
    await start({ text: 'x' }, { key: 'right', onRequest: ({ admitted }) => seen.push(admitted) });
    assert.equal((await ask({}, { authorization: 'Bearer wrong' })).status, 401);
    assert.equal((await ask({}, { authorization: 'Bearer right' })).status, 200);
    assert.deepEqual(seen, [false, true]);
    assert.equal(model.requests[0]?.authorization, 'Bearer wrong');
    assert.equal(model.requests[1]?.user, 'hi');
  });

  it('lists its models', async () => {
    await start({ text: 'x' });
    const list = (await (await fetch(`${model.baseUrl}/models`)).json()) as { data: { id: string }[] };
    assert.deepEqual(
      list.data.map(({ id }) => id),
      ['m'],
    );
  });
});

function makeSignal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string;
      readonly tool_calls?: readonly {
        readonly function: { readonly name?: string; readonly arguments: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
}
