/** What answers on the platform's socket: framing first, then the tap's endpoint, then the app of `app.ts`. Rules: Platform HTTP. */
import type { RequestListener } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { platformApp } from './app.ts';
import { errorResponse, internalError } from './envelope.ts';
import { malformedRequest, withFraming } from './framing.ts';
import type { PlatformParts } from './parts.ts';
import { withTap } from './tap.ts';

export function platformListener(parts: PlatformParts): RequestListener {
  const app = getRequestListener(platformApp(parts).fetch, { errorHandler: (fault) => unanswered(parts, fault) });
  return withFraming(withTap(parts, (request, response) => void app(request, response)));
}

/** A request that cannot be parsed, or a fault outside the app's own error handling. */
function unanswered({ report }: PlatformParts, fault: unknown): Response {
  if (fault instanceof RequestError) return errorResponse(malformedRequest());
  report(fault);
  return errorResponse(internalError());
}
