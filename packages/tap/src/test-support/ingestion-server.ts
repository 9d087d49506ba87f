/**
 * An ingestion endpoint on a real socket that answers by script and keeps what it received.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly events: readonly Record<string, unknown>[];
}

/** Answers a post whose body has arrived; `index` counts the posts from 0. */
export type Answering = (response: ServerResponse, index: number) => void;

export interface IngestionServer {
  readonly url: string;
  readonly posts: readonly Received[];
  /** The request ids of all events received, in order. */
  ids(): string[];
  /** Resolves when this many posts have arrived. */
  arrived(count: number): Promise<void>;
  close(): void;
}

/** A JSON answer. */
export function answer(status: number, body: unknown = { accepted: 1 }): Answering {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

export async function startIngestionServer(answering: Answering = answer(202)): Promise<IngestionServer> {
  const posts: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { events } = JSON.parse(body) as { events: Record<string, unknown>[] };
      posts.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body, events });
      answering(response, posts.length - 1);
      server.emit('post');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tap/v1/events`,
    posts,
    ids: () => posts.flatMap(({ events }) => events.map(({ request_id }) => String(request_id))),
    async arrived(count) {
      while (posts.length < count) await once(server, 'post');
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
