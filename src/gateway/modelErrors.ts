import type { ServerResponse } from 'node:http';

/** OpenAI's `type` of an error: clients try again what is the server's. */
const errorType = (status: number): string => (status >= 500 ? 'server_error' : 'invalid_request_error');

/** Answers in the place of a model, in the form of OpenAI's errors, which clients of other APIs show as well. */
export function answerError(
  response: ServerResponse,
  status: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ error: { message: `Sandboxed Agent: ${reason}`, type: errorType(status) } });
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}
