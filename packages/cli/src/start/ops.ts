/**
 * The operators' listener: `/healthz` (the process lives), `/readyz` (calls are served), `/metrics` (Prometheus). It runs on
 * the supervisor's thread and asks the gateway thread for its counters; a call never waits for it.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from '../config/config.ts';
import { metricsWriter, type MetricsSources } from './metrics/metrics-text.ts';

export interface OpsOptions extends MetricsSources {
  readonly address: ListenAddress;
  readonly ready: () => boolean;
}

export interface Ops {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens. Rejects with Node's own error where it cannot. */
export async function startOps(options: OpsOptions): Promise<Ops> {
  const metricsText = metricsWriter(options);
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'Only GET and HEAD are answered here.\n');
    if (path === '/healthz') return answer(response, 200, 'ok\n');
    if (path === '/readyz') return options.ready() ? answer(response, 200, 'ready\n') : answer(response, 503, 'not ready\n');
    if (path !== '/metrics') return answer(response, 404, 'Here are /healthz, /readyz and /metrics.\n');
    metricsText().then(
      ({ type, text }) => answer(response, 200, text, type),
      () => answer(response, 500, 'The metrics cannot be read right now.\n'),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.address.port, options.address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' });
  response.end(text);
}
