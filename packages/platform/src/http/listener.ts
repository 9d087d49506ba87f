/**
 * What answers on the platform's socket: framing first, then in turns the tap's endpoint and the app of `app.ts`. Rules: Platform HTTP.
 */
import type { RequestListener } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { platformApp } from './app.ts';
import { withRequestTurns } from './request-turns.ts';
import { answerToFault, errorResponse, tooManyAtOnce } from './envelope.ts';
import { malformedRequest, answerRefused, withFraming } from './framing.ts';
import type { PlatformParts } from './parts.ts';
import { withTap } from './tap.ts';

export function platformListener(parts: PlatformParts): RequestListener {
  const app = getRequestListener(platformApp(parts).fetch, { errorHandler: (fault) => unanswered(parts, fault) });
  const answers = withTap(parts, (request, response) => void app(request, response));
  const { askers, trusted } = parts;
  return withFraming(withRequestTurns({ askers, trusted, refuse: (response) => void answerRefused(response, tooManyAtOnce()) }, answers));
}

/** A request that cannot be parsed, or a fault outside the app's own error handling. */
function unanswered({ report }: PlatformParts, fault: unknown): Response {
  if (fault instanceof RequestError) return errorResponse(malformedRequest());
  report(fault);
  return errorResponse(answerToFault(fault));
}
