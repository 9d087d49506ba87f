/** Which requests offer a WebSocket (rule 2). */
import type { CallerRequest } from '../callers/caller-exchange.ts';

/** Refused at once, so that a client which prefers WebSocket falls back to HTTP. Other offers of an upgrade are ignored, as HTTP allows. */
export function asksForWebSocket({ headers }: CallerRequest): boolean {
  return headers.upgrade !== undefined && /(?:^|[\s,])websocket(?:$|[\s,/])/i.test(headers.upgrade);
}
