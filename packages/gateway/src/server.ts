/**
 * node:http ↔ the stages. Everything Node would answer by itself (400, 408, 417, 431, CONNECT) is answered here instead,
 * with the gateway's envelope and both ids (design 3, row 3). Decides nothing else.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { pathOf } from '@metergate/core/call/route.ts';
import { serve } from './call/serve.ts';
import { Relay } from './call/relay.ts';
import { createConnections, type Connections } from './connections.ts';
import type { GatewayNode } from './gateway-node.ts';
import { freshRequestId } from './request-ids.ts';
import { isClosing, refuse, refuseOnSocket } from './respond.ts';
import { RequestClass } from './slim-request.ts';

/** Longer than load balancers keep theirs, so that they close first (design 3, row 10). */
const keepAliveMs = 75_000;
const headersMs = 15_000;
/** A body may take long; an idle socket is closed by `idleSocketMs`. */
const requestMs = 3_600_000;
/** Above the providers' own patience of 15 minutes. */
const idleSocketMs = 16 * 60_000;
const headerBytesMax = 16 * 1024;

export interface GatewayServer {
  readonly server: Server;
  /** Calls under way, for the drain at the end. */
  readonly connections: Connections;
}

/** The listening side of one node; `server.listen` is the caller's. At most `connectionsMax` callers are connected at once. */
export function createGatewayServer(node: GatewayNode, connectionsMax?: number): GatewayServer {
  const connections = createConnections(connectionsMax);
  const server = createServer({
    keepAliveTimeout: keepAliveMs, headersTimeout: headersMs, requestTimeout: requestMs,
    connectionsCheckingInterval: 5_000, maxHeaderSize: headerBytesMax, requireHostHeader: false, noDelay: true, IncomingMessage: RequestClass,
  });
  server.maxHeadersCount = 0;
  server.timeout = idleSocketMs;
  // Not in Node's types: without it a FIN from the caller ends an answer that is still being sent.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (isClosing(request.socket)) return;
    const connection = connections.of(request.socket);
    try {
      serve(node, {
        request, response, connection,
        forward: (call, body) => {
          const relay: Relay = new Relay({
            node, call, request, response, body,
            over: () => {
              node.counters.inFlight -= 1;
              connections.ended(request.socket, relay);
            },
          });
          node.counters.inFlight += 1;
          node.counters.forwarded += 1;
          connections.began(connection, relay);
          relay.start();
          if (request.socket.readableEnded) relay.callerHalfClosed();
        },
      });
    } catch (cause) {
      node.faults.note('admission', cause);
      refuse(request, response, freshRequestId(), { kind: 'internal_fault' });
    }
  };
  server.on('request', onRequest);
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (!isClosing(request.socket)) refuse(request, response, freshRequestId(), { kind: 'expectation_unknown' });
  });
  server.on('connection', (socket: Socket) => connections.makeRoom(connections.of(socket)));
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    // Node has released this socket: without a listener, a reset by the caller would end the process.
    socket.on('error', () => socket.destroy());
    refuseOnSocket(socket as Socket, { kind: 'unknown_url', method: 'CONNECT', path: pathOf(request.url ?? '') });
  });
  server.on('clientError', answerClientError);
  return { server, connections };
}

/** A request the parser would not take, or that did not come in time. An answer under way is never mixed with another. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const answering = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || answering?.headersSent === true) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') refuseOnSocket(socket as Socket, { kind: 'headers_too_large' });
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuseOnSocket(socket as Socket, { kind: 'request_timeout' });
  else refuseOnSocket(socket as Socket, { kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' });
}
