/**
 * The responses and transcriptions of one Realtime or Live connection. A response that is announced is the answer to the oldest request, as long
 * as there is one, else the provider began it by itself. An error refuses a request, never ends a response: `response.done` always comes.
 */
import type { ServerEvent } from '@metergate/core/websocket/server-event.ts';
import type { ResponseCall } from './response-call.ts';
import { rememberedMax, type ResponsesUnderWay } from './responses.ts';

export class RealtimeResponses implements ResponsesUnderWay {
  /** Asked for and not begun, oldest first. */
  #asked: ResponseCall[] = [];
  readonly #running = new Map<string, ResponseCall>();
  readonly #ended = new Set<string>();

  get size(): number {
    return this.#asked.length + this.#running.size;
  }

  all(): readonly ResponseCall[] {
    return [...this.#asked, ...this.#running.values()];
  }

  asked(response: ResponseCall): void {
    this.#asked.push(response);
  }

  begun(response: ResponseCall, responseId: string): void {
    response.responseId = responseId;
    this.#running.set(responseId, response);
  }

  /** Nobody steers here. */
  steered(): void {}

  ended(response: ResponseCall): void {
    this.#asked = this.#asked.filter((one) => one !== response);
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
    const asked = work === 'response' ? this.#asked.shift() : undefined;
    if (asked === undefined) return 'begun';
    this.begun(asked, responseId);
    return asked;
  }

  /** An error that names no message is of the oldest request that had no name of its own. */
  #refusedBy({ refusedEventId }: ServerEvent): ResponseCall | null {
    return this.#asked.find(({ eventId, isSettling }) => eventId === refusedEventId && !isSettling) ?? null;
  }
}
