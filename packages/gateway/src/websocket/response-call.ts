/**
 * One response on a connection, as the call that it is: opened before its request leaves, closed before its last event is given to the caller.
 * `Recording` keeps its record as it keeps that of a call over HTTP; the reader is the one of a stream, fed with its events.
 */
import type { CallOutcome } from '@metergate/core/record/call-record.ts';
import type { ServerEvent } from '@metergate/core/usage/websocket/server-event.ts';
import { CallGuard, type BreakableCall } from '../call/call-guard.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import type { CallFacts } from '../call/broken-call.ts';
import { Recording } from '../call/recording.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { CopyReader } from '../usage/copy-reader.ts';
import { eventBegin, eventEnd, eventOfModel, withoutLineEnds } from './event-text.ts';

export interface ResponseCallOptions {
  readonly call: AdmittedCall;
  /** Of the message that asked for it, as it came; 0 if the provider began it. */
  readonly requestBytes: number;
  readonly streamId: string | null;
  readonly previousResponseId: string | null;
  /** The model that it was asked for; null if none was named. */
  readonly requestedModel: string | null;
  /** The caller's own name of the message that asked for it; null if it has none. */
  readonly eventId: string | null;
  /** The model that the provider has named for it outside its own events; null: none. */
  readonly namedModel: () => string | null;
  /** Our own code threw: the connection ends. */
  readonly broke: () => void;
  /** Its record is committed, or it was never opened. Runs once. */
  readonly over: (response: ResponseCall) => void;
}

export class ResponseCall implements BreakableCall {
  readonly call: AdmittedCall;
  readonly streamId: string | null;
  readonly previousResponseId: string | null;
  readonly eventId: string | null;
  /** The provider's name for it; null until it has begun. */
  responseId: string | null = null;
  /** The request for it was sent on: what the provider begins before that is no answer to it. */
  hasLeft = false;
  readonly #node: GatewayNode;
  readonly #options: ResponseCallOptions;
  readonly #guard: CallGuard;
  readonly #recording: Recording;
  #copy: CopyReader | null = null;
  #status: number | null = null;
  #isAnswered = false;
  #responseBytes = 0;
  #firstByteMs: number | null = null;
  #isOver = false;
  /** What runs once its record is written. */
  #waiting: (() => void)[] = [];

  constructor(node: GatewayNode, options: ResponseCallOptions) {
    this.#node = node;
    this.#options = options;
    this.call = options.call;
    this.streamId = options.streamId;
    this.previousResponseId = options.previousResponseId;
    this.eventId = options.eventId;
    this.#guard = new CallGuard(node.faults, this);
    const body = { overBound: false, requestedModel: () => options.requestedModel };
    this.#recording = new Recording(node, { call: options.call, body, guard: this.#guard });
    node.counters.inFlight += 1;
    node.counters.forwarded += 1;
  }

  /** Its end has been read, and its record is being written or is. */
  get isSettling(): boolean {
    return this.#recording.settling;
  }

  /** `done` runs once, with the error where the opening could not be written: nothing of it may be sent then. */
  open(done: (error: Error | null) => void): void {
    this.#recording.open((error) => {
      if (error !== null) {
        this.#node.counters.faults += 1;
        this.#isDone();
      }
      done(error);
    });
  }

  /** An event of it came, of so many bytes on the wire. */
  take(event: ServerEvent, wireBytes: number): void {
    this.#responseBytes += wireBytes;
    this.#firstByteMs ??= this.#elapsedMs();
    this.#isAnswered = true;
    if (event.kind === 'error') {
      this.#status = this.responseId === null ? event.status : this.#status ?? event.status;
      return;
    }
    this.#status = 200;
    this.#copy ??= this.#createCopy();
  }

  /** An event follows, in pieces, for its usage to be read as that of an event of a stream. */
  eventBegins(): void {
    const model = this.#options.namedModel();
    if (model !== null) this.#copy?.push(eventOfModel(model));
    this.#copy?.push(eventBegin);
  }

  /** More of its text. */
  read(text: Buffer): void {
    this.#copy?.push(withoutLineEnds(text));
  }

  eventEnds(): void {
    this.#copy?.push(eventEnd);
  }

  #createCopy(): CopyReader {
    const { route: { wire, endpoint }, held } = this.call;
    return this.#node.createCopyReader({
      context: { wire, endpoint, streamed: true, without: 'absent' }, contentEncoding: null, organization: held.organization.id,
    });
  }

  /** Writes its record, as it ended first; `committed` runs when that is done. */
  settle(ending: 'whole' | 'cut', outcome: CallOutcome, committed: () => void): void {
    if (this.#isOver) return committed();
    this.#waiting.push(committed);
    const seen = { copy: this.#copy, outcome: null, unanswered: !this.#isAnswered, facts: () => this.#facts() };
    this.#recording.settle({ ending, outcome }, seen, () => this.#isDone());
  }

  endBroken(guard: CallGuard): void {
    guard.contain(() => this.#copy?.drop());
    guard.contain(() => this.#recording.settleBroken(this.#facts(), () => guard.contain(() => this.#isDone())));
    guard.contain(() => this.#options.broke());
  }

  #facts(): CallFacts {
    return {
      streamed: true, status: this.#status, providerRequestId: this.responseId, requestBytes: this.#options.requestBytes,
      responseBytes: this.#responseBytes, firstByteMs: this.#firstByteMs, durationMs: this.#elapsedMs(),
    };
  }

  #elapsedMs(): number {
    return Math.round(this.#node.clock.monotonicMs() - this.call.startedMonotonicMs);
  }

  #isDone(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#node.counters.inFlight -= 1;
    this.#options.over(this);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const committed of waiting) committed();
  }
}
