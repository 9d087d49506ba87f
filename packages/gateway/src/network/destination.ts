/**
 * A place that calls are forwarded to, behind the smallest interface the data path needs, so that the HTTP client below
 * can be replaced by measurement. One attempt per call: no retry, no redirect, no proxy variable.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { KeptHead } from './kept-head.ts';

/** What is sent. Header pairs travel as they came: order, case, duplicates; without hop-by-hop fields, `Host`, `Content-Length`. */
export interface OutboundRequest {
  readonly method: string;
  /** Path and query, raw. */
  readonly target: string;
  /** Flat list: name, value, name, value. Values are latin1 strings, one character a byte. */
  readonly headers: string[];
  /** Where the client may keep what it makes of the method, the target and the headers; absent or null: nowhere. It is the same for these alone. */
  readonly kept?: KeptHead | null | undefined;
  /** A whole body, in one piece or in several, goes out in one write with the head; a stream goes out as it comes, with backpressure. */
  readonly body: Uint8Array | readonly Uint8Array[] | Readable | null;
  /** Runs once all of a whole body has been handed to the system; not if it never is. Nobody looks at the body from then on. */
  readonly written?: (() => void) | undefined;
  /** Declared length of a streamed body; null: chunked. */
  readonly contentLength: number | null;
  /** The service key that it was made with: calls of different keys never share a connection. */
  readonly keyId: string;
  /** Whose call it is: its answers are read in turns with others'. Absent: the node's own. */
  readonly organization?: OrganizationId | undefined;
}

/** What comes back, in this order: `head` once, `data` any number of times, then `end` or `failed` once. `failed` may come alone. */
export interface ExchangeObserver {
  /** The final response head (1xx are swallowed). `headers` is the flat list as received, latin1. */
  head(status: number, reason: string, headers: string[]): void;
  /** `cameIn`: the bytes that one read brought, of which this is a part; with its framing, where it came in chunks. Nobody changes them. */
  data(chunk: Buffer, cameIn?: Buffer): void;
  /** The body is complete by its own framing. */
  end(): void;
  /** Nothing more will come: refused, reset, timed out, not HTTP, body cut, or `abort` was called. */
  failed(fault: ExchangeFault): void;
}

/** Why an exchange broke. `not_public`: the address guard refused before anything was dialled. */
export type ExchangeFault = { readonly kind: 'not_public' | 'connect' | 'protocol' | 'timeout' | 'reset' | 'aborted'; readonly cause: Error };

/** One exchange under way. */
export interface Exchange {
  /** Stop reading from the destination; its socket fills up. Idempotent. */
  pause(): void;
  resume(): void;
  /** Close the destination's connection at once. Idempotent, and nothing after the end. */
  abort(): void;
}

/** Limits of the connections to a destination, milliseconds. Rule 10. */
export interface DestinationTimeouts {
  readonly connectMs: number;
  readonly headMs: number;
  readonly idleBodyMs: number;
}

/** A connection that the destination took off HTTP: its answer was 101. */
export interface Upgraded {
  readonly reason: string;
  /** As received. */
  readonly headers: string[];
  readonly socket: Socket;
  /** Bytes that came behind the head. */
  readonly first: Buffer;
}

/** Gets the events of an answer or, instead, the one event that the connection has switched to another protocol. */
export interface UpgradeObserver extends ExchangeObserver {
  /** The exchange is over; the connection is the observer's. */
  upgraded(connection: Upgraded): void;
}

export interface Destination {
  send(request: OutboundRequest, observer: ExchangeObserver): Exchange;
  /** Asks for a WebSocket on a new connection, with a request that has no body. */
  upgrade(request: OutboundRequest, observer: UpgradeObserver): Exchange;
  /** Idle connections close now, busy ones when their exchange ends. */
  close(): Promise<void>;
}
