import assert from 'node:assert/strict';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { ClientNews } from '../../../src/supervisor/clientNews';
import { entryOf } from '../../support/networkEntries';

describe('ClientNews', () => {
  /** A client that takes nothing until it is let. */
  function stalled(): { connection: MessageConnection; sent: unknown[]; read: () => Promise<void> } {
    const sent: unknown[] = [];
    const waiting: (() => void)[] = [];
    const connection = {
      sendNotification: (_type: unknown, parameters: unknown) => {
        sent.push(parameters);
        return new Promise<void>((resolve) => waiting.push(resolve));
      },
    } as unknown as MessageConnection;
    const read = async (): Promise<void> => {
      waiting.splice(0).forEach((resolve) => resolve());
      await new Promise(setImmediate);
    };
    return { connection, sent, read };
  }

  const entries = Array.from({ length: 500 }, (_, id) => entryOf({ id }));

  it('keeps no attempts for a client that does not read, and gives it all that there are when it does', async () => {
    const { connection, sent, read } = stalled();
    const news = new ClientNews(connection, () => entries);
    for (let round = 0; round < 10_000; round++) news.network(entries.slice(0, 1));
    assert.ok(sent.length <= 20, `${sent.length} are kept`);
    sent.length = 0;
    await read();
    news.network(entries.slice(0, 1));
    news.network(entries.slice(0, 2));
    assert.deepEqual(sent, [{ entries }, { entries: entries.slice(0, 2) }]);
  });

  it('tells the end in any case', () => {
    const { connection, sent } = stalled();
    const news = new ClientNews(connection, () => []);
    for (let round = 0; round < 10_000; round++) {
      news.status({ phase: 'running' });
      news.log('a line');
    }
    assert.ok(sent.length <= 400, `${sent.length} are kept`);
    const end = { phase: 'ended', end: { reason: 'stopped' } } as const;
    news.status(end);
    assert.deepEqual(sent.at(-1), end);
  });
});
