import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createMessageConnection,
  SocketMessageReader,
  SocketMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import type { NetworkEntry } from '../gateway/gateway';
import { ClientNews } from './clientNews';
import {
  acknowledgeNotification,
  allowedHostsRequest,
  attachRequest,
  helloRequest,
  inputNotification,
  networkLogRequest,
  protocolVersion,
  resizeNotification,
  startWithoutUndoRequest,
  stopRequest,
  type Dimensions,
  type HelloAnswer,
  type SandboxEnd,
  type SandboxStatus,
  type SandboxSummary,
} from './protocol';
import { isTerminalAnswer } from './terminalAnswers';
import type { TerminalClients } from './terminalClients';
import { UnheardAttempts } from './unheardAttempts';

/** What a server serves. */
export interface ServedSandbox {
  readonly summary: SandboxSummary;
  status(): SandboxStatus;
  stop(): Promise<SandboxEnd>;
  input(data: string): void;
  readonly terminals: TerminalClients;
  networkLog(): readonly NetworkEntry[];
  /** @throws UserError for an entry that is none */
  setAllowedHosts(hosts: readonly string[]): Promise<void>;
  startWithoutUndo(): void;
}

/**
 * How long clients have to take notice of the end, and how long all in all while they take what came before it: a
 * window on a busy computer has seconds of a flood to read (measured: 3 s were too few).
 */
const usualFarewell = { milliseconds: 3000, longestMilliseconds: 20_000 };

/** Lines that a client which connects later still gets. */
const keptLogLines = 200;

/** Sizes that no real terminal exceeds; node-pty takes 16 bits. */
const largestDimension = 2000;

/** Speaks the protocol with any number of clients on a unix socket. */
export class SupervisorServer {
  private readonly connections = new Map<MessageConnection, Socket>();
  /**
   * Those that have introduced themselves: the answer to that is the first thing that a client hears, or the word
   * that all is over could come before it.
   */
  private readonly introduced = new Map<MessageConnection, ClientNews>();
  /** those of them that do not only look */
  private readonly attending = new Set<MessageConnection>();
  /** `first`: a client that does not only look has come; `empty`: the last one has gone */
  private readonly events = new EventEmitter<{ first: []; empty: [] }>();
  private hadClients = false;
  private isClipboardHeld = false;
  private readonly logLines: string[] = [];
  private readonly unheard = new UnheardAttempts();
  private readonly server: Server;

  /** @param onClients called with the number of clients that do not only look, whenever one comes or goes */
  constructor(
    private readonly sandbox: ServedSandbox,
    private readonly onClients: (count: number) => void,
    private readonly farewell = usualFarewell,
  ) {
    this.server = createServer((socket) => this.accept(socket));
  }

  listen(socketPath: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(socketPath, resolve);
    });
  }

  broadcastStatus(status: SandboxStatus): void {
    this.introduced.forEach((news) => news.status(status));
  }

  /** The program wanted to use the clipboard and was not let; the first time only, for each client. */
  clipboardHeld(): void {
    if (!this.isClipboardHeld) {
      this.isClipboardHeld = true;
      this.introduced.forEach((news) => news.clipboardHeld());
    }
  }

  /** Tells those that do not only look what the agent tried to reach; without any, the next one that comes. */
  broadcastNetwork(entries: readonly NetworkEntry[]): void {
    if (this.attending.size === 0) this.unheard.note(entries);
    this.attending.forEach((connection) => this.introduced.get(connection)?.network(entries));
  }

  log(line: string): void {
    this.logLines.push(line);
    this.logLines.splice(0, this.logLines.length - keptLogLines);
    this.introduced.forEach((news) => news.log(line));
  }

  /** Waits for the first client, if it has yet to come: until then the socket must be where it was told to be. */
  async firstClient(): Promise<void> {
    if (this.hadClients) return;
    await Promise.race([once(this.events, 'first'), delay(this.farewell.milliseconds)]);
  }

  /**
   * Waits until every client has heard of the end and gone; a client that does not, and says nothing any more, is let
   * go of. It is the clients who close: a stream that we ended could overtake what they have read, but not looked at.
   */
  async close(): Promise<void> {
    const deadline = performance.now() + this.farewell.longestMilliseconds;
    let isWaiting = this.connections.size > 0;
    while (isWaiting) {
      const before = this.heard();
      await Promise.race([once(this.events, 'empty'), delay(this.farewell.milliseconds)]);
      isWaiting = this.connections.size > 0 && this.heard() !== before && performance.now() < deadline;
    }
    this.server.close();
    for (const socket of this.connections.values()) {
      socket.destroy();
    }
  }

  /** Bytes that the clients of now have sent: each says what it has shown. */
  private heard(): number {
    return [...this.connections.values()].reduce((total, { bytesRead }) => total + bytesRead, 0);
  }

  private accept(socket: Socket): void {
    const connection = createMessageConnection(
      new SocketMessageReader(socket),
      new SocketMessageWriter(socket),
    );
    const news = new ClientNews(connection, () => this.sandbox.networkLog());
    const sink = { send: (data: string, resync: boolean) => news.output(data, resync) };
    const { terminals } = this.sandbox;
    connection.onRequest(helloRequest, ({ observes }) => this.welcome(connection, news, observes === true));
    connection.onRequest(stopRequest, () => this.sandbox.stop());
    connection.onRequest(networkLogRequest, () => [...this.sandbox.networkLog()]);
    connection.onRequest(allowedHostsRequest, ({ hosts }) => this.sandbox.setAllowedHosts(hosts));
    connection.onRequest(startWithoutUndoRequest, () => this.sandbox.startWithoutUndo());
    connection.onRequest(attachRequest, (dimensions) => terminals.attach(sink, sensible(dimensions)));
    connection.onNotification(inputNotification, ({ data }) => {
      if (terminals.isLatest(sink) || !isTerminalAnswer(data)) {
        this.sandbox.input(data);
      }
    });
    connection.onNotification(resizeNotification, (dimensions) => terminals.resize(sensible(dimensions)));
    connection.onNotification(acknowledgeNotification, ({ parsed }) => terminals.acknowledge(sink, parsed));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      terminals.detach(sink);
      this.forget(connection);
    });
    this.connections.set(connection, socket);
    connection.listen();
  }

  private welcome(connection: MessageConnection, news: ClientNews, observes: boolean): HelloAnswer {
    const linesBefore = [...this.logLines];
    this.introduced.set(connection, news);
    if (!observes) {
      this.hadClients = true;
      this.events.emit('first');
      this.attending.add(connection);
      this.onClients(this.attending.size);
    }
    // after the answer
    setImmediate(() => {
      const unheard = observes ? [] : this.unheard.take();
      // before the lines: those are many, and count as not taken yet
      if (unheard.length > 0) news.network(unheard);
      linesBefore.forEach((line) => news.log(line));
    });
    return { protocolVersion, summary: this.sandbox.summary, status: this.sandbox.status() };
  }

  private forget(connection: MessageConnection): void {
    this.connections.delete(connection);
    this.introduced.delete(connection);
    connection.dispose();
    if (this.attending.delete(connection)) {
      this.onClients(this.attending.size);
    }
    if (this.connections.size === 0) {
      this.events.emit('empty');
    }
  }
}

function sensible({ columns, rows }: Dimensions): Dimensions {
  const clamp = (value: number, least: number): number =>
    Number.isFinite(value) ? Math.min(Math.max(Math.floor(value), least), largestDimension) : least;
  return { columns: clamp(columns, 2), rows: clamp(rows, 1) };
}
