/** What the sandbox uses of `ws`: a server of connections that it is handed. Its own package has no types. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  /** Emits `message` with the bytes of a whole message. */
  export class WebSocket extends EventEmitter {
    send(text: string): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
  }

  export class WebSocketServer {
    constructor(options: { readonly noServer: true; readonly maxPayload: number; readonly perMessageDeflate: boolean });
    readonly clients: ReadonlySet<WebSocket>;
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, done: (connection: WebSocket) => void): void;
  }
}
