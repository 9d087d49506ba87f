/**
 * Calls past the gateway that several connections of this node listen to. Each of them hears every response. It is counted once: on the connection
 * that asked for it, otherwise on the first that hears of it.
 */
import type { Route } from '@metergate/core/call/route.ts';
import type { OrganizationId } from '@metergate/core/id.ts';

/** How many names of responses are remembered of one call. */
const rememberedMax = 1_024;

interface HeardCall {
  listeners: number;
  readonly counted: Set<string>;
  /** Requests of all listeners that are not answered yet. */
  asked: number;
}

/** One connection's part in a call. */
export interface CallListener {
  /** Requests of this connection are asked for, or answered. */
  asked(change: 1 | -1): void;
  /** Whether this connection is to count the response. `own`: it is the answer to its own request. */
  counts(responseId: string, own: boolean): boolean;
  /** The connection is over. */
  left(): void;
}

export class HeardCalls {
  readonly #calls = new Map<string, HeardCall>();

  /** `name`: of the call, among all organizations. */
  listen(name: string): CallListener {
    const call = this.#calls.get(name) ?? { listeners: 0, counted: new Set<string>(), asked: 0 };
    this.#calls.set(name, call);
    call.listeners += 1;
    let ownAsked = 0;
    return {
      asked: (change) => {
        ownAsked += change;
        call.asked += change;
      },
      counts: (responseId, own) => {
        if (call.counted.has(responseId) || (!own && call.asked > ownAsked)) return false;
        if (call.counted.size >= rememberedMax) call.counted.delete(call.counted.values().next().value!);
        call.counted.add(responseId);
        return true;
      },
      left: () => {
        call.asked -= ownAsked;
        call.listeners -= 1;
        if (call.listeners === 0) this.#calls.delete(name);
      },
    };
  }
}

/** The call that a connection listens to, by its handshake; null: it is a separate conversation. */
export function heardCallOf(organization: OrganizationId, route: Route): string | null {
  const query = route.target.indexOf('?');
  const id = query === -1 ? null : new URLSearchParams(route.target.slice(query)).get('call_id');
  return id === null || id === '' ? null : `${organization} ${route.wire} ${id}`;
}
