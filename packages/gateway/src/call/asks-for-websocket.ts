/** Which requests offer a WebSocket, and where none is spoken (rule 2). */
import type { Route } from '@metergate/core/call/route.ts';
import { wires } from '@metergate/core/wire/wire.ts';
import type { CallerRequest } from '../callers/caller-exchange.ts';

/** Refused at once, so that a client which prefers WebSocket falls back to HTTP. Other offers of an upgrade are ignored, as HTTP allows. */
export function asksForWebSocket({ headers }: CallerRequest): boolean {
  return headers.upgrade !== undefined && /(?:^|[\s,])websocket(?:$|[\s,/])/i.test(headers.upgrade);
}

/** The messages paths without `/alt`: they are the second wire's by their names alone, and that wire has no WebSocket. */
export function isBareMessages({ wire, path }: Route): boolean {
  return !wires[wire].speaksWebSocket && !path.startsWith('/alt/');
}
