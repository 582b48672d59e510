import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as requestSecurely } from 'node:https';

/** What the model of `modelProcess.ts` can be asked for. */
export type Kind = 'json' | 'short' | 'stream' | 'quick' | 'bulk';

/** Asks a model for answers, over connections that are kept. */
export class Client {
  private readonly agent: Agent;

  /** @param authority whom to trust, PEM: with one it speaks TLS, to `localhost` */
  constructor(
    private readonly port: number,
    private readonly base: string,
    private readonly token: string,
    private readonly authority?: string,
  ) {
    const options = { keepAlive: true, maxSockets: 256 };
    this.agent =
      authority === undefined ? new Agent(options) : new SecureAgent({ ...options, ca: authority });
  }

  /** @returns the answer, whose body is not read yet */
  open(answer: Kind): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const ask = this.authority === undefined ? request : requestSecurely;
      const asking = ask({
        agent: this.agent,
        host: this.authority === undefined ? '127.0.0.1' : 'localhost',
        family: 4,
        port: this.port,
        method: 'POST',
        path: `${this.base}/chat/completions`,
        headers: {
          authorization: `Bearer ${this.token}`,
          'content-type': 'application/json',
          'x-answer': answer,
        },
      });
      asking.once('error', reject);
      asking.once('response', (response) => {
        if (response.statusCode === 200) resolve(response);
        else reject(new Error(`the answer was ${response.statusCode}`));
      });
      asking.end('{"model":"m","messages":[{"role":"user","content":"hello"}]}');
    });
  }

  /** Asks and reads to the end. @returns bytes */
  async read(answer: Kind): Promise<number> {
    let bytes = 0;
    for await (const chunk of (await this.open(answer)) as AsyncIterable<Buffer>) bytes += chunk.length;
    return bytes;
  }
}
