/**
 * The platform's listener: the app of `http/app.ts` on a socket. Design 5, Platform HTTP.
 */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { platformApp } from './http/app.ts';
import { errorResponse, internalError } from './http/envelope.ts';
import { malformedRequest, withFraming } from './http/framing.ts';
import type { PlatformParts } from './http/parts.ts';
import { withTap } from './http/tap.ts';

export interface Platform {
  readonly host: string;
  /** The port it listens on, also where 0 was asked for. */
  readonly port: number;
  /** Takes no more connections, ends the idle ones at once and the others within a second. */
  close(): Promise<void>;
}

export interface PlatformAddress {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

const closeGraceMs = 1_000;
const limits = { requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 } as const;

/** Listens. `parts` is given the port, which links may be made of. @throws the system's error, with its `code`, where the address cannot be had. */
export async function startPlatform(
  { host, port }: PlatformAddress, partsAt: (port: number) => PlatformParts,
): Promise<Platform> {
  let listener: RequestListener | null = null;
  const server = createServer({ ...limits, requireHostHeader: false }, (request, response) => {
    listener?.(request, response);
  });
  server.maxRequestsPerSocket = 10_000;
  server.listen(port, host);
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  const parts = partsAt(bound);
  const app = getRequestListener(platformApp(parts).fetch, { errorHandler: (fault) => unanswered(parts, fault) });
  listener = withFraming(withTap(parts, (request, response) => void app(request, response)));
  return { host, port: bound, close: () => closeServer(server) };
}

/** A request that none can be made of, or a fault past the app's own answers. */
function unanswered({ report }: PlatformParts, fault: unknown): Response {
  if (fault instanceof RequestError) return errorResponse(malformedRequest());
  report(fault);
  return errorResponse(internalError());
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), closeGraceMs);
  await closed;
  clearTimeout(late);
}
