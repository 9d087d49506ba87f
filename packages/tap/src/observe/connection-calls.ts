/**
 * The responses of one WebSocket connection, asked for and under way: messages in both directions → calls. A response that is announced answers
 * the oldest request of its lane, or was begun by the provider itself: after words that were spoken, a tool or a steer.
 */
import { beginCall, type ObservedCall, type Ending, type Hold } from './call.ts';
import { own, firstText } from './look.ts';

interface Asked {
  readonly call: ObservedCall;
  readonly lane: unknown;
  readonly previous: unknown;
  readonly eventId: unknown;
}

export interface ConnectionCalls {
  /** The host sends it. */
  sent(event: unknown): void;
  received(event: unknown): void;
  /** Nothing more comes of what is asked for and under way. */
  over(ending: Ending): void;
}

/** How many names of ended and of steered responses are remembered. */
const rememberedMax = 256;
const ends = /^response\.(done|completed|incomplete|failed|cancelled)$/;

/** `asModel`: the connection's model, until the provider names another; null if it has none. */
export function connectionCalls(hold: Hold, asModel: string | null): ConnectionCalls {
  let model = asModel;
  const asked: Asked[] = [];
  const running = new Map<unknown, Asked>();
  const known = new Set<unknown>();
  const steered = new Set<unknown>();
  const begin = (event: unknown): Asked => ({
    call: beginCall(hold, { model: firstText(event, 'model') ?? model }), lane: own(event, 'stream_id'),
    previous: own(event, 'previous_response_id'), eventId: own(event, 'event_id'),
  });
  /** Takes the first that fits out of those asked for. */
  const take = (fits: (one: Asked) => unknown): Asked | undefined => {
    const place = asked.findIndex(fits);
    return place < 0 ? undefined : asked.splice(place, 1)[0];
  };
  /** A provider that knows no lanes names none: what it says is of any. */
  const inLane = (lane: unknown) => (one: Asked): boolean => one.lane === lane || lane === undefined;

  const announced = (event: unknown, response: unknown, id: unknown): Asked => {
    const previous = own(response, 'previous_response_id');
    const follows = previous ? take((each) => each.previous === previous) : undefined;
    const isSuccessor = !follows && steered.delete(previous);
    const one = follows ?? (isSuccessor ? undefined : take(inLane(own(event, 'stream_id')))) ?? begin(event);
    running.set(id, one);
    remember(known, id);
    one.call.head(undefined);
    one.call.value({ model: own(response, 'model') ?? model, id });
    return one;
  };
  /**
   * Realtime's errors refuse a request, and name it as the host did. Those of Responses refuse the oldest request of their lane, or are of what
   * runs there if they say so. Any other may be of any message, and ends nothing.
   */
  const refused = (event: unknown): void => {
    const lane = own(event, 'stream_id');
    const isRealtime = own(event, 'event_id');
    const runs = [...running].filter(([, one]) => !isRealtime && one.lane === lane).at(-1);
    const isOfStream = runs && own(event, 'sequence_number') !== undefined;
    const refusedOne = isOfStream ? undefined : take(isRealtime ? ({ eventId }) => eventId === own(event, 'error.event_id') : inLane(lane));
    if (isOfStream) running.delete(runs[0]);
    const one = refusedOne ?? (isOfStream ? runs[1] : undefined);
    one?.call.head(event);
    one?.call.end('failed');
  };
  return {
    sent(event) {
      const type = own(event, 'type');
      if (type === 'response.create') asked.push(begin(event));
      else if (type === 'response.steer') remember(steered, own(event, 'previous_response_id'));
    },
    received(event) {
      const type = own(event, 'type') as string;
      if (type === 'error') return refused(event);
      model = firstText(event, 'session.model') ?? model;
      const response = own(event, 'response');
      const id = own(response, 'id');
      if (!id) return;
      const one = running.get(id) ?? (known.has(id) ? undefined : announced(event, response, id));
      if (!one || !ends.test(type)) return;
      running.delete(id);
      one.call.value(event);
      one.call.end('done');
    },
    over(ending) {
      for (const { call } of running.values()) call.end(ending);
      running.clear();
      for (const { call } of asked.splice(0)) call.fail(undefined);
    },
  };
}

function remember(names: Set<unknown>, name: unknown): void {
  names.add(name);
  if (names.size > rememberedMax) names.delete(names.values().next().value);
}
