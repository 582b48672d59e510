import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { parseAs } from '../../src/sandbox/parseAs';
import { errorBody, sendAnswer, sendJson } from './answer';
import { demoScenario } from './demoScenario';
import { pickStep, type Scenario } from './scenario';

export interface DemoModelOptions {
  /** default: {@link demoScenario} */
  readonly scenario?: Scenario;
  /** default: any free port */
  readonly port?: number;
  /** the only API key that is let in; default: any, or none */
  readonly key?: string;
  /** hears of each request to the model, after its answer was chosen */
  readonly onRequest?: (request: RecordedRequest) => void;
}

/** One request for an answer. `body` is as it came. */
export interface RecordedRequest {
  /** milliseconds since the epoch */
  readonly time: number;
  /** false: its key was refused, and nothing was answered */
  readonly admitted: boolean;
  readonly authorization: string | undefined;
  readonly body: string;
  /** which rule of the scenario fitted; undefined when it was not admitted */
  readonly rule?: string;
  readonly turn?: number;
  readonly user?: string;
  /** names of the tools that the client offered */
  readonly tools?: readonly string[];
}

/** A scripted model behind OpenAI's chat-completions API, on 127.0.0.1. */
export interface DemoModel {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  readonly port: number;
  /** all requests so far, oldest first */
  readonly requests: readonly RecordedRequest[];
  setScenario(scenario: Scenario): void;
  /** Ends the server and all its connections. */
  close(): Promise<void>;
}

/** Starts a scripted model. It is no real one: it says what its scenario says. */
export async function startDemoModel(options: DemoModelOptions = {}): Promise<DemoModel> {
  const requests: RecordedRequest[] = [];
  const state = { scenario: options.scenario ?? demoScenario, requests, options };
  const server = createServer((request, response) => {
    serve(state, request, response).catch((error: unknown) => {
      sendJson(response, 500, { error: { message: String(error), type: 'server_error' } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    setScenario(scenario) {
      state.scenario = scenario;
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

interface State {
  scenario: Scenario;
  readonly requests: RecordedRequest[];
  readonly options: DemoModelOptions;
}

const chatRequest = v.object({
  model: v.string(),
  stream: v.optional(v.boolean(), false),
  messages: v.array(v.object({ role: v.string(), content: v.unknown() })),
  tools: v.optional(v.array(v.object({ function: v.object({ name: v.string() }) })), []),
});

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const route = `${request.method} ${new URL(request.url ?? '/', 'http://127.0.0.1').pathname}`;
  const { authorization } = request.headers;
  const { key } = state.options;
  if (key !== undefined && authorization !== `Bearer ${key}`) {
    record(state, { time: Date.now(), admitted: false, authorization, body });
    sendJson(response, 401, { error: errorBody(401, '') });
  } else if (route === 'GET /v1/models') {
    const data = state.scenario.models.map((id) => ({ id, object: 'model', owned_by: 'demo', created: 0 }));
    sendJson(response, 200, { object: 'list', data });
  } else if (route === 'POST /v1/chat/completions') {
    await complete(state, response, body, authorization);
  } else {
    sendJson(response, 404, { error: { message: `there is no ${route}`, type: 'invalid_request_error' } });
  }
}

async function complete(
  state: State,
  response: ServerResponse,
  body: string,
  authorization: string | undefined,
): Promise<void> {
  const { model, stream, messages, tools } = parseAs(chatRequest, JSON.parse(body));
  const { rule, turn, user, step } = pickStep(state.scenario, messages);
  const names = tools.map((tool) => tool.function.name);
  record(state, { time: Date.now(), admitted: true, authorization, body, rule, turn, user, tools: names });
  const requestSize = Buffer.byteLength(body);
  await sendAnswer(response, step, { number: state.requests.length, model, stream, requestSize });
}

function record({ requests, options }: State, request: RecordedRequest): void {
  requests.push(request);
  options.onRequest?.(request);
}
