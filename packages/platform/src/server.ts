/**
 * The platform's listener: for now a page that says what this is, and a JSON 404 for every other path. Design 5, Platform HTTP.
 * Routes are added to `platformApp`; listening and closing stay as they are.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { page } from './page.ts';

export interface Platform {
  readonly url: string;
  readonly host: string;
  /** The port it listens on, also where 0 was asked for. */
  readonly port: number;
  /** Takes no more connections, ends the idle ones at once and the others within a second. */
  close(): Promise<void>;
}

const closeGraceMs = 1_000;

/** Listens. @throws the system's error, with its `code`, where the address cannot be had. */
export async function startPlatform({ host, port }: { readonly host: string; readonly port: number }): Promise<Platform> {
  const app = platformApp();
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, getRequestListener(app.fetch));
  server.listen(port, host);
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, host, port: bound, close: () => closeServer(server) };
}

/** Every route of the platform, ready to be asked without a socket. */
export function platformApp(): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(securityHeaders)) context.res.headers.set(name, value);
  });
  app.get('/', (context) => context.html(page));
  app.notFound((context) => context.json({ error: { code: 'not_found', message: 'There is nothing at this address.' } }, 404));
  app.onError((_fault, context) =>
    context.json({ error: { code: 'internal_error', message: 'The platform cannot answer this request right now.' } }, 500));
  return app;
}

const securityHeaders = {
  'content-security-policy': "default-src 'none'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), closeGraceMs);
  await closed;
  clearTimeout(late);
}
