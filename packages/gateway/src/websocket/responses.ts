/**
 * The responses of one connection: those asked for and those under way, by lane. An event of the provider's is matched with the response that
 * it is of; one that fits none was begun by the provider itself.
 *
 * In a lane requests are answered in their order, so the first event that names a new response is of the oldest request of that lane that has left:
 * the provider does not know of one that is still being journalled. After a `response.steer` the provider begins a successor by itself: its event
 * names the response that was steered as the one before it, which tells it from the answer to a request.
 */
import type { ServerEvent } from '@metergate/core/usage/websocket/server-event.ts';
import type { ResponseCall } from './response-call.ts';

/** So many may be asked for or under way on one connection. */
export const responsesMax = 128;
/** So many with those that the provider begins by itself, for some of which no end may ever be reported. */
export const underWayMax = 1_024;

/** How many names of ended responses, and of steered ones, are remembered. */
export const rememberedMax = 256;

/** A doubted response of which nothing came for so long is waited for no longer where its connection is to end, milliseconds. */
export const doubtedMs = 10_000;

/** What is asked for and under way on one connection. */
export interface ResponsesUnderWay {
  readonly size: number;
  all(): readonly ResponseCall[];
  asked(response: ResponseCall): void;
  /** The caller says something that asks for no response. */
  said(): void;
  begun(response: ResponseCall, responseId: string): void;
  steered(responseId: string | null): void;
  ended(response: ResponseCall): void;
  of(event: ServerEvent): ResponseCall | 'begun' | null;
  /** Those that an error has most likely ended, and of which nothing came for `doubtedMs`, as far as was looked. */
  doubtedAt(nowMs: number): readonly ResponseCall[];
  /** The connection is over. */
  left(): void;
}

export class Responses implements ResponsesUnderWay {
  /** Asked for and not begun, oldest first: all, and those of each lane. */
  readonly #asked = new Set<ResponseCall>();
  readonly #askedByLane: Lanes = new Map();
  readonly #running = new Map<string, ResponseCall>();
  readonly #runningByLane: Lanes = new Map();
  readonly #ended = new Set<string>();
  /**
   * Running, and an error came in their lane that may have ended them: when that was first looked at, and null before. `answered`: the error most
   * likely is of a message that asked for no response.
   */
  readonly #doubted = new Map<ResponseCall, number | null | 'answered'>();
  /** Messages that asked for no response, since one runs, and that no error was the answer to. */
  #unanswered = 0;
  /** Cut by the next one in their lane. A provider that runs several there may go on with them. */
  readonly #cutInDoubt = new Set<string>();
  readonly #steered = new Set<string>();
  readonly #cutOne: () => void;

  /** `cutOne` runs each time the record of a response is written that another one cut. */
  constructor(cutOne: () => void = () => {}) {
    this.#cutOne = cutOne;
  }

  /** How many there are. */
  get size(): number {
    return this.#asked.size + this.#running.size;
  }

  all(): readonly ResponseCall[] {
    return [...this.#asked, ...this.#running.values()];
  }

  left(): void {}

  asked(response: ResponseCall): void {
    // Messages are answered in order: once this request is answered, so are the ones before it.
    if (this.size === 0) this.#unanswered = 0;
    this.#asked.add(response);
    enter(this.#askedByLane, response);
  }

  said(): void {
    this.#unanswered += 1;
  }

  /** It begins. In a lane one follows the other, so that an error did end the one before it: unless events of that come all the same. */
  begun(response: ResponseCall, responseId: string): void {
    response.responseId = responseId;
    this.#running.set(responseId, response);
    for (const before of this.#runningByLane.get(response.streamId) ?? none) {
      if (!this.#doubted.delete(before)) continue;
      remember(this.#cutInDoubt, before.responseId!);
      before.settle('cut', 'cut', this.#cutOne);
    }
    enter(this.#runningByLane, response);
  }

  /** A steer of this response leaves. */
  steered(responseId: string | null): void {
    if (responseId !== null) remember(this.#steered, responseId);
  }

  /** It is over. */
  ended(response: ResponseCall): void {
    this.#isAskedNoMore(response);
    if (response.responseId === null) return;
    // It may have been cut, and go on under the same name.
    if (this.#running.get(response.responseId) === response) this.#running.delete(response.responseId);
    this.#doubted.delete(response);
    leave(this.#runningByLane, response);
    remember(this.#ended, response.responseId);
  }

  /**
   * The response that an event is of. `begun`: the provider has begun one by itself, or goes on with one that was cut, which is counted as that.
   * Null: of none, or of one that is over.
   */
  of(event: ServerEvent): ResponseCall | 'begun' | null {
    if (event.kind === 'error') return this.#ofError(event);
    if (event.responseId === null) return this.#goesOn(this.#runningIn(event.streamId));
    if (this.#cutInDoubt.delete(event.responseId)) return 'begun';
    const running = this.#running.get(event.responseId);
    if (running !== undefined) return this.#goesOn(running);
    if (this.#ended.has(event.responseId)) return null;
    const asked = this.#answeredBy(event);
    if (asked === null) return 'begun';
    this.#isAskedNoMore(asked);
    this.begun(asked, event.responseId);
    return asked;
  }

  doubtedAt(nowMs: number): readonly ResponseCall[] {
    const silent: ResponseCall[] = [];
    for (const [one, sinceMs] of this.#doubted) {
      if (sinceMs === 'answered') continue;
      if (sinceMs === null) this.#doubted.set(one, nowMs);
      else if (nowMs - sinceMs >= doubtedMs && !one.isSettling) silent.push(one);
    }
    return silent;
  }

  /** An event of it came, so the error did not end it. */
  #goesOn(response: ResponseCall | null): ResponseCall | null {
    if (this.#doubted.size > 0 && response !== null) this.#doubted.delete(response);
    return response;
  }

  /**
   * An error that is not of a stream refuses a message: a request, if there is one. Else it may be of any message of the caller's, who could end its
   * own responses with a bad one before their usage is reported. So one that runs is only doubted, and less so where there is a message that the
   * error can be of.
   */
  #ofError({ responseId, streamId, isOfStream }: ServerEvent): ResponseCall | null {
    const named = responseId === null ? undefined : this.#running.get(responseId);
    if (named !== undefined) return named;
    const [running, asked] = [this.#runningIn(streamId), firstThatLeft(this.#askedIn(streamId))];
    if (isOfStream) return running ?? asked;
    if (asked === null && running !== null) this.#doubt(running);
    return asked;
  }

  #doubt(response: ResponseCall): void {
    const isAnswer = this.#unanswered > 0;
    if (isAnswer) this.#unanswered -= 1;
    const known = this.#doubted.get(response);
    if (known === undefined || known === 'answered') this.#doubted.set(response, isAnswer ? 'answered' : null);
  }

  #answeredBy({ streamId, previousResponseId }: ServerEvent): ResponseCall | null {
    const inLane = this.#askedIn(streamId);
    if (previousResponseId !== null) {
      for (const one of inLane) if (one.hasLeft && one.previousResponseId === previousResponseId) return one;
      if (this.#steered.delete(previousResponseId)) return null;
    }
    return firstThatLeft(inLane);
  }

  /** A provider that knows no lanes names none: what it says is of any. */
  #askedIn(streamId: string | null): ReadonlySet<ResponseCall> {
    return this.#askedByLane.get(streamId) ?? (streamId === null ? this.#asked : none);
  }

  #isAskedNoMore(response: ResponseCall): void {
    if (this.#asked.delete(response)) leave(this.#askedByLane, response);
  }

  #runningIn(streamId: string | null): ResponseCall | null {
    let last: ResponseCall | null = null;
    const inLane = this.#runningByLane.get(streamId);
    if (inLane !== undefined) for (const one of inLane) if (!one.isSettling) last = one;
    return last;
  }
}

/** Those of each lane; a lane that has none is not in it. */
type Lanes = Map<string | null, Set<ResponseCall>>;

const none: ReadonlySet<ResponseCall> = new Set();

function enter(lanes: Lanes, response: ResponseCall): void {
  const lane = lanes.get(response.streamId);
  if (lane === undefined) lanes.set(response.streamId, new Set([response]));
  else lane.add(response);
}

function leave(lanes: Lanes, response: ResponseCall): void {
  const lane = lanes.get(response.streamId);
  if (lane?.delete(response) === true && lane.size === 0) lanes.delete(response.streamId);
}

/** The oldest that the provider knows of. */
export function firstThatLeft(asked: ReadonlySet<ResponseCall>): ResponseCall | null {
  for (const one of asked) if (one.hasLeft) return one;
  return null;
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= rememberedMax) names.delete(names.values().next().value!);
  names.add(name);
}
