import { setTimeout as pause } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import type { Step } from './scenario';

/** What an answer repeats of its request. */
export interface AnswerHead {
  /** counts the requests, from 1 */
  readonly number: number;
  readonly model: string;
  readonly stream: boolean;
  /** bytes */
  readonly requestSize: number;
}

/** UTF-16 units per piece of a streamed answer: several, so that a client has to put pieces together. */
const pieceLength = 24;
/** The rule of thumb for English text. */
const bytesPerToken = 4;

/** Sends a step as OpenAI's chat-completions API would: an error, one JSON document, or a stream of events. */
export async function sendAnswer(response: ServerResponse, step: Step, head: AnswerHead): Promise<void> {
  await pause(step.delayMilliseconds ?? 0);
  if (step.hang === true) {
    return;
  }
  const status = Number(step.status ?? 200);
  if (status >= 400) {
    sendJson(response, status, { error: errorBody(status, head.model) });
  } else if (head.stream) {
    sendStream(response, step, head);
  } else {
    sendWhole(response, step, head);
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** The error bodies that such servers send. Clients read `type`: a `server_error` is tried again. */
export function errorBody(status: number, model: string): Readonly<Record<string, string>> {
  switch (status) {
    case 401:
      return {
        message: 'Incorrect API key provided',
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      };
    case 403:
      return { message: 'Not allowed', type: 'permission_error', code: 'forbidden' };
    case 404:
      return {
        message: `The model '${model}' does not exist`,
        type: 'invalid_request_error',
        code: 'model_not_found',
      };
    case 429:
      return { message: 'Rate limit reached', type: 'rate_limit_error', code: 'rate_limit_exceeded' };
    default:
      return {
        message: `scripted failure ${status}`,
        type: status < 500 ? 'invalid_request_error' : 'server_error',
      };
  }
}

function toolCalls(step: Step, { number }: AnswerHead) {
  return (step.tools ?? []).map((call, index) => ({
    index,
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
}

function finishReason(step: Step): string {
  return (step.tools ?? []).length > 0 ? 'tool_calls' : 'stop';
}

function usage(step: Step, { requestSize }: AnswerHead) {
  const promptTokens = Math.ceil(requestSize / bytesPerToken);
  const completionTokens = Math.ceil(JSON.stringify(step).length / bytesPerToken);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0 },
  };
}

function identity({ number, model }: AnswerHead) {
  return { id: `chatcmpl-${number}`, created: Math.floor(Date.now() / 1000), model };
}

function sendWhole(response: ServerResponse, step: Step, head: AnswerHead): void {
  const calls = toolCalls(step, head);
  const message = {
    role: 'assistant',
    content: step.text ?? '',
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  sendJson(response, 200, {
    ...identity(head),
    object: 'chat.completion',
    usage: usage(step, head),
    choices: [{ index: 0, finish_reason: finishReason(step), message }],
  });
}

function sendStream(response: ServerResponse, step: Step, head: AnswerHead): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const chunk = { ...identity(head), object: 'chat.completion.chunk' };
  const pieces = [...deltas(step, head)].map((delta) => ({
    index: 0,
    delta,
    finish_reason: null as string | null,
  }));
  pieces.push({ index: 0, delta: {}, finish_reason: finishReason(step) });
  for (const piece of pieces.slice(0, step.cutAfter)) {
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [piece] })}\n\n`);
  }
  if (step.cutAfter !== undefined) {
    // after what was written has left, so that the client sees a stream that breaks off
    response.write('', () => response.destroy());
    return;
  }
  response.write(`data: ${JSON.stringify({ ...chunk, choices: [], usage: usage(step, head) })}\n\n`);
  response.end('data: [DONE]\n\n');
}

function* deltas(step: Step, head: AnswerHead): Generator<object> {
  yield { role: 'assistant', content: '' };
  for (const piece of cut(step.reasoning)) {
    yield { reasoning_content: piece };
  }
  for (const piece of cut(step.text)) {
    yield { content: piece };
  }
  for (const call of toolCalls(step, head)) {
    yield { tool_calls: [{ ...call, function: { name: call.function.name, arguments: '' } }] };
    for (const piece of cut(call.function.arguments)) {
      yield { tool_calls: [{ index: call.index, function: { arguments: piece } }] };
    }
  }
}

function cut(text = ''): string[] {
  return text.match(new RegExp(`[^]{1,${pieceLength}}`, 'gu')) ?? [];
}
