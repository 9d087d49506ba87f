/** One request of a caller and its answer, as the stages of a call see them, whoever read the request: Node's server, or `CallerConnection`. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ArrivingRequest } from './arriving-request.ts';
import type { WholeRequest } from './whole-request.ts';

/**
 * Bytes of up to this many leave as one text with a head that waits for them: two texts are joined and written once, but a text and bytes go to
 * the system as a list, which takes half a microsecond more. Up to 16 KiB of text need no new memory on the way.
 */
export const joinedTextBytesMax = 12 * 1024;

/** A request: with its body as a stream, or whole (`instanceof WholeRequest`). */
export type CallerRequest = StreamedRequest | WholeRequest;

/** A request whose body is a stream. */
export type StreamedRequest = IncomingMessage | ArrivingRequest;

/** Where the answer is written. The names are those of Node's `ServerResponse`, which is one. */
export interface CallerResponse {
  /** The caller's connection, while this answer has it. */
  readonly socket: Socket | null;
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  /** Ended, and all of it handed to the system. */
  readonly writableFinished: boolean;
  /** The body goes out in chunks. Set it to false if you frame them yourself. */
  chunkedEncoding: boolean;
  sendDate: boolean;
  removeHeader(name: string): void;
  /** @throws if the head cannot be sent as it is; nothing has been sent then. */
  writeHead(status: number, reason: string, pairs: string[]): unknown;
  writeContinue(): void;
  /** False if the caller must be waited for. The head leaves with the first of it. */
  write(chunk: Uint8Array | string, encoding?: BufferEncoding): boolean;
  end(chunk?: Uint8Array | string, encoding?: BufferEncoding): unknown;
  once(event: 'drain' | 'socket', listener: () => void): unknown;
  destroy(): unknown;
}
