/** What a relay has seen of the answer to its call so far: its head, its bytes, and what they report. It decides nothing. */
import type { GatewayNode } from '../node/gateway-node.ts';
import type { CopyReader } from '../usage/copy-reader.ts';
import type { AdmittedCall } from './admitted-call.ts';
import type { CallFacts } from './broken-call.ts';
import { responseHead, type ResponseHead } from './response-head.ts';
import { watchAnswer, type WatchedAnswer } from './watch-answer.ts';

interface CameHead {
  readonly status: number;
  readonly headers: string[];
  /** Since the call began. */
  readonly atMs: number;
}

export class SeenAnswer {
  /** Null: no head has come. */
  status: number | null = null;
  copy: CopyReader | null = null;
  /** What the copy reports of work that an earlier call began. */
  outcome: WatchedAnswer['outcome'] = null;
  /** The head is the whole answer. */
  bodyless = false;
  #head: ResponseHead | null = null;
  #receivedBytes = 0;
  #firstByteMs: number | null = null;

  head(node: GatewayNode, call: AdmittedCall, { status, headers, atMs }: CameHead): void {
    this.status = status;
    const { bodyBytes } = this.#head = responseHead(headers, call.route.upstream);
    this.#firstByteMs = atMs;
    this.bodyless = call.method === 'HEAD' || status === 204 || status === 304 || bodyBytes === 0;
    ({ copy: this.copy, outcome: this.outcome } = watchAnswer(node, call, { status, head: this.#head, headers }));
  }

  /** Nothing here looks at bytes again that were handed to `data`. */
  get readsAtOnce(): boolean {
    return this.copy === null || this.copy.readsAtOnce === true;
  }

  data(chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    this.copy?.push(chunk);
  }

  /** All bytes of the declared length have come. */
  get allReceived(): boolean {
    return this.#receivedBytes === this.#head?.bodyBytes;
  }

  /** The last event of a stream has come. */
  get dialogueEnded(): boolean {
    return this.copy?.dialogueEnded === true;
  }

  /** The head is no head of HTTP: nothing of it counts. */
  forget(): void {
    this.status = null;
    this.copy = null;
  }

  /** For the record. */
  facts({ requestBytes, durationMs }: Pick<CallFacts, 'requestBytes' | 'durationMs'>): CallFacts {
    return {
      streamed: this.#head?.streamed ?? false, status: this.status,
      providerRequestId: this.#head?.providerRequestId ?? null,
      requestBytes, responseBytes: this.#receivedBytes,
      firstByteMs: this.#firstByteMs, durationMs,
    };
  }
}
