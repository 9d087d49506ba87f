/** A request that was read completely before it is served: HTTP/1.1, and it asks for nothing but an answer. */
import type { Socket } from 'node:net';
import type { ReadHead } from './read-head.ts';

const noHeaders: WholeRequest['headers'] = Object.freeze({});

export class WholeRequest {
  readonly method: string;
  /** The target as it came. */
  readonly url: string;
  rawHeaders: string[];
  /** Empty: this request has none of the headers that are asked for by name. */
  headers: { readonly expect?: string; readonly upgrade?: string; readonly connection?: string } = noHeaders;
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly complete = true;
  readonly socket: Socket;
  /** What was read of its head, which is known to its connection; null: nothing yet. */
  readHead: ReadHead | null;
  /** Its body; null if it has none. */
  content: Buffer | null;

  constructor(socket: Socket, parts: {
    readonly method: string; readonly target: string; readonly pairs: string[]; readonly content: Buffer | null;
    readonly readHead: ReadHead | null;
  }) {
    this.socket = socket;
    this.method = parts.method;
    this.url = parts.target;
    this.rawHeaders = parts.pairs;
    this.content = parts.content;
    this.readHead = parts.readHead;
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }
}
