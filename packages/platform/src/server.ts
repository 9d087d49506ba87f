/**
 * The platform's socket. What answers on it, `http/listener.ts`, is loaded with the first request. Rules: Platform HTTP.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerUntilLeft } from '@metergate/store/network/leaving-server.ts';
import { listenWide } from '@metergate/store/network/wide-listener.ts';
import type { PlatformParts } from './http/parts.ts';

export interface Platform {
  readonly host: string;
  /** The port it listens on, also where 0 was asked for. */
  readonly port: number;
  /** The process will stop: answers announce that they are the last on their connection. Everything is still accepted. */
  leave(): void;
  /** Takes no more connections and ends those that carry nothing. Requests under way may last another `graceMs`. */
  close(graceMs: number): Promise<void>;
}

interface PlatformListenAddress {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

const limits = { requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 } as const;

interface PlatformAnswers {
  /** Called with the first request, and again with the next one if it rejected. `port`: links may contain it. */
  readonly partsAt: (port: number) => PlatformParts | Promise<PlatformParts>;
  /** A fault that kept the app from answering a request, for the log. */
  readonly report: (fault: unknown) => void;
}

/**
 * Listens. The app is loaded with the first request, because a platform that nobody opens does not need it. @throws the system's error, with
 * its `code`, if the address cannot be bound.
 */
export async function startPlatform({ host, port }: PlatformListenAddress, { partsAt, report }: PlatformAnswers): Promise<Platform> {
  const listener = listenerOnce(async () => {
    const [{ platformListener }, parts] = await Promise.all([import('./http/listener.ts'), partsAt(bound)]);
    return platformListener(parts);
  });
  const server = createServer({ ...limits, requireHostHeader: false });
  const leaving = answerUntilLeft(server, (request, response) => {
    const ready = listener.ready();
    if (ready !== null) return ready(request, response);
    listener.loaded().then((answer) => answer(request, response)).catch((fault: unknown) => {
      report(fault);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' });
      response.end(unanswered);
    });
  });
  server.maxRequestsPerSocket = 10_000;
  const listeners = await listenWide(server, { host, port });
  const bound = (server.address() as AddressInfo).port;
  return { host, port: bound, leave: () => leaving.leave(), close: (graceMs) => leaving.close(graceMs, listeners) };
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
