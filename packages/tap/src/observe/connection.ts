/**
 * Observes the WebSocket clients of the OpenAI SDK (Responses, Realtime): each response on a connection is one call. The host's own `send` is
 * observed, and its events are listened to; which response they are of is `connection-calls.ts`.
 */
import { connectionCalls } from './connection-calls.ts';
import { at, methodOf, quietly } from './look.ts';
import { override } from './in-place.ts';
import type { Hold } from './call.ts';

/** WebSocket's `CONNECTING`; Realtime's clients send nothing then, and those of Responses send it later. */
const connecting = 0;
/** WebSocket's `CLOSING`; from there on nothing that is sent leaves. */
const closing = 2;

/** Observes the connection in place; false if it is of another kind or cannot be changed. */
export function observeConnection(hold: Hold): boolean {
  const { client } = hold;
  const socketNow = (): unknown => at(client, 'socket');
  if (!methodOf(client, 'on') || !methodOf(socketNow(), 'close')) return false;
  const url = quietly(() => new URL(String(at(client, 'url'))));
  const calls = connectionCalls(hold, url?.searchParams.get('model') ?? null);
  const isSentLater = !url?.pathname.endsWith('/realtime');
  const leaves = (): boolean => {
    const state = at(socketNow(), 'readyState') as number;
    return !(state >= closing) && (isSentLater || state !== connecting);
  };
  const sends = (name: string, eventIn: (given: unknown) => unknown): boolean => override(client, name, (run, args) => {
    if (leaves()) quietly(() => calls.sent(eventIn(args[0])));
    return run();
  });
  if (!sends('send', (event) => event)) return false;
  sends('sendResponseCreate', (event) => event);
  sends('sendRaw', (data) => JSON.parse(data as string));
  override(client, 'close', (run) => {
    calls.over('left');
    return run();
  });
  const lost = (): void => calls.over('failed');
  listen(client, 'event', (event) => quietly(() => calls.received(event)));
  // One that connects again by itself tells of it, and of the end of the last of its sockets; another one's socket is its only one.
  listen(client, 'reconnecting', lost);
  listen(client, 'close', lost);
  listen(socketNow(), 'close', lost);
  return true;
}

function listen(target: unknown, event: string, listener: (value: unknown) => void): void {
  const name = methodOf(target, 'addEventListener') ? 'addEventListener' : 'on';
  quietly(() => (target as Record<string, (event: string, listener: (value: unknown) => void) => void>)[name]!(event, listener));
}
