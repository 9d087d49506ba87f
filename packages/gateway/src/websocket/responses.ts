/**
 * The responses of one connection: those asked for and those under way, by lane. An event of the provider's is matched with the response that
 * it is of; one that fits none was begun by the provider itself.
 *
 * In a lane requests are answered in their order, so the first event that names a new response is of the oldest request of that lane. After a
 * `response.steer` the provider begins a successor by itself: its event names the response that was steered as the one before it, which
 * tells it from the answer to a request.
 */
import type { ServerEvent } from '@metergate/core/websocket/server-event.ts';
import type { ResponseCall } from './response-call.ts';

/** How many names of ended responses, and of steered ones, are remembered. */
export const rememberedMax = 256;

/** What is asked for and under way on one connection. */
export interface ResponsesUnderWay {
  readonly size: number;
  all(): readonly ResponseCall[];
  asked(response: ResponseCall): void;
  begun(response: ResponseCall, responseId: string): void;
  steered(responseId: string | null): void;
  ended(response: ResponseCall): void;
  of(event: ServerEvent): ResponseCall | 'begun' | null;
}

export class Responses implements ResponsesUnderWay {
  /** Asked for and not begun, oldest first. */
  #asked: ResponseCall[] = [];
  readonly #running = new Map<string, ResponseCall>();
  readonly #ended = new Set<string>();
  readonly #steered = new Set<string>();

  /** How many there are. */
  get size(): number {
    return this.#asked.length + this.#running.size;
  }

  all(): readonly ResponseCall[] {
    return [...this.#asked, ...this.#running.values()];
  }

  asked(response: ResponseCall): void {
    this.#asked.push(response);
  }

  /** The provider began it by itself. */
  begun(response: ResponseCall, responseId: string): void {
    response.responseId = responseId;
    this.#running.set(responseId, response);
  }

  /** A steer of this response leaves. */
  steered(responseId: string | null): void {
    if (responseId !== null) remember(this.#steered, responseId);
  }

  /** It is over. */
  ended(response: ResponseCall): void {
    this.#asked = this.#asked.filter((one) => one !== response);
    if (response.responseId === null) return;
    this.#running.delete(response.responseId);
    remember(this.#ended, response.responseId);
  }

  /** The response that an event is of. `begun`: the provider has begun one by itself. Null: of none, or of one that is over. */
  of(event: ServerEvent): ResponseCall | 'begun' | null {
    if (event.kind === 'error') return this.#ofError(event);
    if (event.responseId === null) return this.#runningIn(event.streamId);
    const running = this.#running.get(event.responseId);
    if (running !== undefined) return running;
    if (this.#ended.has(event.responseId)) return null;
    const asked = this.#answeredBy(event);
    if (asked === null) return 'begun';
    this.#asked = this.#asked.filter((one) => one !== asked);
    this.begun(asked, event.responseId);
    return asked;
  }

  /** An error that is not of a stream refuses a request, as long as there is one. */
  #ofError({ responseId, streamId, isOfStream }: ServerEvent): ResponseCall | null {
    const named = responseId === null ? undefined : this.#running.get(responseId);
    if (named !== undefined) return named;
    const [running, asked] = [this.#runningIn(streamId), this.#askedIn(streamId)[0] ?? null];
    return isOfStream ? running ?? asked : asked ?? running;
  }

  #answeredBy({ streamId, previousResponseId }: ServerEvent): ResponseCall | null {
    const inLane = this.#askedIn(streamId);
    const next = previousResponseId === null ? undefined : inLane.find((one) => one.previousResponseId === previousResponseId);
    if (next !== undefined) return next;
    if (previousResponseId !== null && this.#steered.delete(previousResponseId)) return null;
    return inLane[0] ?? null;
  }

  /** A provider that knows no lanes names none: what it says is of any. */
  #askedIn(streamId: string | null): readonly ResponseCall[] {
    const inLane = this.#asked.filter((one) => one.streamId === streamId);
    return inLane.length === 0 && streamId === null ? this.#asked : inLane;
  }

  #runningIn(streamId: string | null): ResponseCall | null {
    let last: ResponseCall | null = null;
    for (const one of this.#running.values()) if (one.streamId === streamId && !one.isSettling) last = one;
    return last;
  }
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= rememberedMax) names.delete(names.values().next().value!);
  names.add(name);
}
