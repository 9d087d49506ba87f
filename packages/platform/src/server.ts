/**
 * The platform's socket. What answers on it, `http/listener.ts`, is loaded with the first request. Rules: Platform HTTP.
 */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlatformParts } from './http/parts.ts';

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

export interface PlatformAnswers {
  /** Asked with the first request, and again with the next one where it rejected. `port`: links may be made of it. */
  readonly partsAt: (port: number) => PlatformParts | Promise<PlatformParts>;
  /** A fault that kept the app from answering a request, for the log. */
  readonly report: (fault: unknown) => void;
}

/**
 * Listens. The app is loaded with the first request, because a platform that nobody opens needs none of it. @throws the system's error, with
 * its `code`, where the address cannot be had.
 */
export async function startPlatform({ host, port }: PlatformAddress, { partsAt, report }: PlatformAnswers): Promise<Platform> {
  const listener = listenerOnce(async () => {
    const [{ platformListener }, parts] = await Promise.all([import('./http/listener.ts'), partsAt(bound)]);
    return platformListener(parts);
  });
  const server = createServer({ ...limits, requireHostHeader: false }, (request, response) => {
    const ready = listener.ready();
    if (ready !== null) return ready(request, response);
    listener.loaded().then((answer) => answer(request, response)).catch((fault: unknown) => {
      report(fault);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' });
      response.end(unanswered);
    });
  });
  server.maxRequestsPerSocket = 10_000;
  server.listen(port, host);
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return { host, port: bound, close: () => closeServer(server) };
}

/** The app's own answer to faults. */
const unanswered = JSON.stringify({ error: { code: 'internal_error', message: 'The platform cannot answer this request right now.' } });

/** Loads the listener once; a failed load is tried again with the next request. */
function listenerOnce(load: () => Promise<RequestListener>): { ready(): RequestListener | null; loaded(): Promise<RequestListener> } {
  let there: RequestListener | null = null;
  let loading: Promise<RequestListener> | null = null;
  return {
    ready: () => there,
    loaded() {
      loading ??= load().then((listener) => { there = listener; return listener; }).finally(() => { loading = null; });
      return loading;
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), closeGraceMs);
  await closed;
  clearTimeout(late);
}
