/**
 * node:http ↔ the stages. Everything Node would answer by itself (400, 408, 417, 431, CONNECT) is answered here instead,
 * with the gateway's envelope and both ids (rule 3). Decides nothing else.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { Refusal } from '@metergate/core/refusal.ts';
import { pathOf } from '@metergate/core/call/route.ts';
import { serve } from './call/serve.ts';
import { Relay } from './call/relay.ts';
import type { CallerRequest, CallerResponse } from './callers/caller-exchange.ts';
import { isServedBehind } from './callers/behind-answers.ts';
import { CallerConnection, type UsualCallers } from './callers/caller-connection.ts';
import { createConnections, type Connection, type Connections } from './callers/connections.ts';
import { discard } from './callers/discarding.ts';
import { noteRequest } from './callers/leaving.ts';
import { CoarseClock, type SilenceClock } from './clock/coarse-clock.ts';
import { noteStranger } from './fairness/bytes-behind-refusals.ts';
import type { GatewayNode } from './node/gateway-node.ts';
import { headBytesMax } from './http-parser/native-parser.ts';
import { hasRequestParser } from './http-parser/request-parser.ts';
import { freshRequestId } from './callers/request-ids.ts';
import { isClosing, sendRefusal, refuseOnSocket } from './callers/respond.ts';
import { RequestClass } from './callers/slim-request.ts';
import { mayUpgrade, serveUpgrades } from './websocket/upgrade.ts';

/** Longer than load balancers keep theirs, so that they close first (rule 10). */
const keepAliveMs = 75_000;
const headersMs = 15_000;
/** A body may take long; an idle socket is closed by `idleSocketMs`. */
const requestMs = 3_600_000;
/** Above the providers' own patience of 15 minutes. */
const idleSocketMs = 16 * 60_000;
/** A head that comes whole within this long is read without Node's server. */
const momentMs = 100;

interface GatewayServer {
  readonly server: Server;
  /** Calls under way, for the drain at the end. */
  readonly connections: Connections;
  /** Bytes kept of requests that are not whole, or came before their turn. */
  readonly earlyBytes: () => number;
}

export interface ServerOptions {
  /** Callers connected at once; absent: unbounded. */
  readonly connectionsMax?: number | undefined;
  /** `node`: Node's server reads all requests, as it does where Node's parser is not known. By default the usual ones are read past it. */
  readonly requestsReadBy?: 'us' | 'node' | undefined;
  /** What callers are waited for by, where Node's server does not: for limits of seconds, and for a request to come whole. */
  readonly callersClocks?: { readonly seconds: SilenceClock; readonly moments: SilenceClock } | undefined;
}

/** The listening side of one node; `server.listen` is the caller's. */
export function createGatewayServer(node: GatewayNode, { connectionsMax, requestsReadBy = 'us', callersClocks }: ServerOptions = {}): GatewayServer {
  const connections = createConnections(connectionsMax);
  const server = createServer({
    keepAliveTimeout: keepAliveMs, headersTimeout: headersMs, requestTimeout: requestMs,
    connectionsCheckingInterval: 5_000, maxHeaderSize: headBytesMax, requireHostHeader: false, noDelay: true, IncomingMessage: RequestClass,
    shouldUpgradeCallback: (request) => mayUpgrade(request, connections.of(request.socket)),
  });
  server.maxHeadersCount = 0;
  server.timeout = idleSocketMs;
  // Not in Node's types: without it a FIN from the caller ends an answer that is still being sent.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;

  const onRequest = (request: CallerRequest, response: CallerResponse, connection: Connection): void => {
    try {
      serve(node, {
        request, response, connection, transport: 'http',
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
      sendRefusal(request, response, freshRequestId(), { kind: 'internal_fault' });
    }
  };
  const onNodesRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.of(request.socket);
    connection.hasAsked = true;
    noteRequest(request);
    if (isClosing(request.socket)) return discard(request);
    if (isServedBehind(request, response)) onRequest(request, response, connection);
  };
  server.on('request', onNodesRequest);
  serveUpgrades(server, node, connections);
  server.on('checkContinue', onNodesRequest);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    noteRequest(request);
    noteStranger(request);
    if (isClosing(request.socket)) discard(request);
    else if (isServedBehind(request, response)) sendRefusal(request, response, freshRequestId(), { kind: 'expectation_unknown' });
  });
  const leaveToNode = requestsReadBy === 'us' && hasRequestParser ? connectionListenerOf(server) : null;
  const usual: UsualCallers | null = leaveToNode === null ? null : {
    serve: onRequest, leaveToNode, keptBytes: 0,
    clock: callersClocks?.seconds ?? new CoarseClock(1_000), momentClock: callersClocks?.moments ?? new CoarseClock(momentMs / 2),
    limits: { firstRequestMs: headersMs, keepAliveMs, silenceMs: idleSocketMs, momentMs, bodyMs: requestMs },
  };
  server.on('connection', (socket: Socket) => {
    const connection = connections.of(socket);
    connections.makeRoom(connection);
    if (usual !== null && !socket.destroyed) connection.reader = new CallerConnection(usual, connection);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    // Node has released this socket: without a listener, a reset by the caller would end the process.
    socket.on('error', () => socket.destroy());
    refuseOnSocket(socket as Socket, { kind: 'unknown_url', method: 'CONNECT', path: pathOf(request.url ?? '') });
  });
  server.on('clientError', answerClientError);
  return { server, connections, earlyBytes: () => usual?.keptBytes ?? 0 };
}

/**
 * Takes the listener that reads connections off Node's server, to call it for connections that are left to Node later. Null if it cannot be found.
 */
function connectionListenerOf(server: Server): ((socket: Socket) => void) | null {
  const listeners = server.listeners('connection');
  const [listener] = listeners;
  if (listeners.length !== 1 || listener === undefined) return null;
  server.removeListener('connection', listener as () => void);
  return (socket) => void listener.call(server, socket);
}

/** A request the parser would not take, or that did not come in time. An answer under way is never mixed with another. */
function answerClientError(error: ClientError, socket: Duplex): void {
  const answering = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || answering?.headersSent === true) {
    socket.destroy();
    return;
  }
  refuseOnSocket(socket as Socket, refusalOf(error), ofHead(error) ? 'head_alone' : 'with_body');
}

function refusalOf({ code }: ClientError): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return { kind: 'headers_too_large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { kind: 'request_timeout' };
  return { kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' };
}

/** The parser's error, with the bytes it was given last and how many of them it took. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Known only if the request begins in those bytes, with no other one before it. */
function ofHead({ rawPacket, bytesParsed }: ClientError): boolean {
  const parsed = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '';
  return parsed.startsWith('HEAD ') && !parsed.includes('\r\n\r\n');
}
