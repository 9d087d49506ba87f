/**
 * Whose request the platform begins next. One thread answers all of them. What arrived while it worked was begun in one turn of its event loop, so
 * everybody else waited for all of it, several times in one request: each wait for a file, a thread or a signature ends with a turn. Now a turn
 * begins one request, that of the asker whose requests took the least processor time so far. Decision 278.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { othersFirst, workFor, type ThreadAsker } from '@metergate/store/threads/others-first.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import type { Askers } from './askers.ts';

/** Requests of one asker, or one stranger, that wait to be begun. One more is refused. */
export const waitingMax = 128;

interface RequestTurnsOptions {
  readonly askers: Askers;
  readonly trusted: TrustedProxies;
  /** Answers what is too much. */
  readonly refuse: (response: ServerResponse) => void;
}

/** Requests reach `next` in their turns. Those whose sender has left meanwhile do not. */
export function withRequestTurns({ askers, trusted, refuse }: RequestTurnsOptions, next: RequestListener): RequestListener {
  const waiting = new Map<string, number>();
  const begin = async (name: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await othersFirst();
    const left = waiting.get(name)! - 1;
    if (left === 0) waiting.delete(name);
    else waiting.set(name, left);
    // Older versions of Node do not tell an answer behind another one that its connection has ended.
    if (!response.destroyed && !request.socket.destroyed) next(request, response);
  };
  return (request, response) => {
    const { headers, socket: { remoteAddress = '' } } = request;
    const forwarded = headers['x-forwarded-for'];
    const asker = askers.of(headers, clientAddress(remoteAddress, forwarded === undefined ? null : String(forwarded), trusted));
    const name = nameOf(asker);
    const there = waiting.get(name) ?? 0;
    if (there >= waitingMax) return refuse(response);
    waiting.set(name, there + 1);
    void workFor(asker, () => begin(name, request, response));
  };
}

function nameOf(asker: ThreadAsker): string {
  return typeof asker === 'string' ? asker : asker.name;
}
