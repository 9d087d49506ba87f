/**
 * The Responses API over WebSocket: each `response.create` is answered with the events of a stream, in its lane. Anything else, a steer too, is
 * answered with an error.
 */
import type { Server } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { RealtimeConversation } from './realtime-socket.ts';
import type { AnswerTo } from './socket-answer.ts';

const messageBytesMax = 16 * 1024 * 1024;

interface Asked {
  readonly type?: unknown;
  readonly stream_id?: unknown;
}

/** Serves connections to `/v1/responses` and `/v1/realtime` on this server. Returns what ends them all. */
export function serveSockets(server: Server, answerTo: AnswerTo): () => void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax, perMessageDeflate: true });
  server.on('upgrade', (request, socket, head) => {
    const target = request.url ?? '';
    const [path] = target.split('?');
    if (path === '/v1/responses' || path === '/v1/realtime') {
      sockets.handleUpgrade(request, socket, head, (connection) => {
        connection.on('error', () => connection.terminate());
        const realtime = path === '/v1/realtime' ? new RealtimeConversation(connection, target, answerTo) : null;
        connection.on('message', (message: Buffer) => {
          if (realtime === null) answer(connection, message, answerTo);
          else realtime.hear(read(message));
        });
      });
    } else {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    }
  });
  return () => sockets.clients.forEach((connection) => connection.terminate());
}

function answer(connection: WebSocket, message: Buffer, answerTo: AnswerTo): void {
  const asked = read(message);
  const lane = typeof asked?.stream_id === 'string' ? { stream_id: asked.stream_id } : {};
  const refuse = (text: string): void => connection.send(JSON.stringify({
    type: 'error', status: 400, error: { type: 'invalid_request_error', code: 'invalid_request', message: text, param: null }, ...lane,
  }));
  if (asked?.type !== 'response.create') return refuse("Metergate's sandbox answers response.create alone.");
  // Over WebSocket a response is always a stream, and nobody asks for it.
  const answered = answerTo(Buffer.from(JSON.stringify({ ...asked, stream: true })));
  if (answered?.kind !== 'events') return refuse('The message is no request for a response.');
  for (const { data } of answered.events) connection.send(JSON.stringify({ ...data as object, ...lane }));
}

function read(message: Buffer): Asked | null {
  try {
    const parsed: unknown = JSON.parse(message.toString());
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
