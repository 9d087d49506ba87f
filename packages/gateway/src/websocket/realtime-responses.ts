/**
 * The responses and transcriptions of one Realtime or Live connection. A response that is announced is the answer to the oldest request that has
 * left, as long as there is one, else the provider began it by itself. An error refuses a request, never ends a response: `response.done` always
 * comes.
 */
import type { ServerEvent } from '@metergate/core/usage/websocket/server-event.ts';
import type { CallListener } from './heard-calls.ts';
import type { ResponseCall } from './response-call.ts';
import { firstThatLeft, rememberedMax, type ResponsesUnderWay } from './responses.ts';

export class RealtimeResponses implements ResponsesUnderWay {
  /** Asked for and not begun, oldest first. */
  readonly #asked = new Set<ResponseCall>();
  /** The same, by the caller's own name of the request. */
  readonly #askedByName = new Map<string | null, Set<ResponseCall>>();
  readonly #running = new Map<string, ResponseCall>();
  readonly #ended = new Set<string>();
  readonly #listener: CallListener | null;

  /** `listener`: where others may hear the same responses. */
  constructor(listener: CallListener | null = null) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#asked.size + this.#running.size;
  }

  all(): readonly ResponseCall[] {
    return [...this.#asked, ...this.#running.values()];
  }

  asked(response: ResponseCall): void {
    const named = this.#askedByName.get(response.eventId) ?? new Set();
    this.#askedByName.set(response.eventId, named.add(response));
    this.#asked.add(response);
    this.#listener?.asked(1);
  }

  begun(response: ResponseCall, responseId: string): void {
    response.responseId = responseId;
    this.#running.set(responseId, response);
  }

  /** The connection is over. */
  left(): void {
    this.#listener?.left();
  }

  /** An error ends no response here. */
  doubtedAt(): readonly ResponseCall[] {
    return [];
  }

  /** Nobody steers here. */
  steered(): void {}

  /** An error ends no response here. */
  said(): void {}

  ended(response: ResponseCall): void {
    this.#answered(response);
    const { responseId } = response;
    if (responseId === null) return;
    this.#running.delete(responseId);
    if (this.#ended.size >= rememberedMax) this.#ended.delete(this.#ended.values().next().value!);
    this.#ended.add(responseId);
  }

  of(event: ServerEvent): ResponseCall | 'begun' | null {
    const { kind, responseId, work, mayBegin } = event;
    if (kind === 'error') return this.#refusedBy(event);
    if (responseId === null) return null;
    const running = this.#running.get(responseId);
    if (running !== undefined || this.#ended.has(responseId) || !mayBegin) return running ?? null;
    const asked = work === 'response' ? firstThatLeft(this.#asked) : null;
    if (this.#listener?.counts(responseId, asked !== null) === false) return null;
    if (asked === null) return 'begun';
    this.#answered(asked);
    this.begun(asked, responseId);
    return asked;
  }

  /** An error that names no message is of the oldest request without a name. */
  #refusedBy({ refusedEventId }: ServerEvent): ResponseCall | null {
    for (const one of this.#askedByName.get(refusedEventId) ?? []) if (one.hasLeft && !one.isSettling) return one;
    return null;
  }

  #answered(response: ResponseCall): void {
    if (!this.#asked.delete(response)) return;
    const named = this.#askedByName.get(response.eventId)!;
    named.delete(response);
    if (named.size === 0) this.#askedByName.delete(response.eventId);
    this.#listener?.asked(-1);
  }
}
