/**
 * A request for a WebSocket: it passes the stages of every call, is forwarded as every call is, and becomes a session where the provider answers
 * 101. Any other answer is relayed and recorded as an answer to any call. Its messages are read by its API (rule 2).
 */
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { inboundResponseHeaders } from '@metergate/core/call/header-pairs.ts';
import { declaredBodyBytes } from '@metergate/core/call/framing.ts';
import { routeOf } from '@metergate/core/call/route.ts';
import { header, type OrganizationId } from '@metergate/core/id.ts';
import type { AdmittedCall, OutboundBody } from '../call/admitted-call.ts';
import { Relay } from '../call/relay.ts';
import { responseHead } from '../call/response-head.ts';
import { serve } from '../call/serve.ts';
import type { Connection, Connections } from '../callers/connections.ts';
import { endBehindAnswer, isClosing, sendRefusal } from '../callers/respond.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import { hasResponseParser } from '../http-parser/response-parser.ts';
import type { Destination, ExchangeObserver, Upgraded } from '../network/destination.ts';
import { ExchangeError } from '../network/exchange-fault.ts';
import { freshRequestId } from '../callers/request-ids.ts';
import { compressionOf, type Compression } from './extensions.ts';
import { SocketSession } from './session.ts';

/** Whether Node's server is to take the connection off HTTP for this request. If not, it is a request like any, and is refused as one. */
export function mayUpgrade(request: IncomingMessage, connection: Connection): boolean {
  if (!hasResponseParser || request.method !== 'GET' || request.httpVersionMinor === 0) return false;
  if (isClosing(request.socket) || isAnswering(connection)) return false;
  if (request.headers.upgrade?.trim().toLowerCase() !== 'websocket' || declaredBodyBytes(request.rawHeaders) !== 0) return false;
  const route = routeOf('GET', request.url ?? '');
  return route !== null && route.upstream === null;
}

/** A request before this one has no whole answer. Node's own note of the answer that is due is not in its types. */
function isAnswering({ socket, relays }: Connection): boolean {
  return relays.length > 0 || ((socket as Socket & { _httpMessage?: unknown })._httpMessage ?? null) !== null;
}

/** Serves the requests whose connections the server takes off HTTP. A Node that takes no choice would hand over all of them: there, none is. */
export function serveUpgrades(server: Server, node: GatewayNode, connections: Connections): void {
  if (!('shouldUpgradeCallback' in server)) return;
  server.on('upgrade', (request: IncomingMessage, _socket: unknown, first: Buffer) => {
    connections.of(request.socket).hasAsked = true;
    serveUpgrade(node, connections, { request, first });
  });
}

/** `first`: bytes that came behind its head. */
function serveUpgrade(node: GatewayNode, connections: Connections, { request, first }: {
  readonly request: IncomingMessage; readonly first: Buffer;
}): void {
  const { socket } = request;
  const connection = connections.of(socket);
  // Node has released the socket: without a listener, a reset by the caller would end the process.
  socket.on('error', destroyThis);
  const response = new ServerResponse(request);
  // Whatever is answered but 101, this connection carries nothing else.
  Object.assign(response, { shouldKeepAlive: false, _last: true });
  response.assignSocket(socket);
  response.once('finish', () => endBehindAnswer(socket));
  try {
    serve(node, {
      request, response, connection, transport: 'websocket',
      forward: (call, body) => new Handshake(node, connections, { request, response, connection, first }).forward(call, body),
    });
  } catch (cause) {
    node.faults.note('admission', cause);
    sendRefusal(request, response, freshRequestId(), { kind: 'internal_fault' });
  }
}

/** A function of this scope keeps nothing of the handshake as long as the connection lasts. */
function destroyThis(this: Socket): void {
  this.destroy();
}

interface HandshakeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly first: Buffer;
}

class Handshake {
  readonly #node: GatewayNode;
  readonly #connections: Connections;
  readonly #connection: Connection;
  /** Null once the connection is taken off HTTP: it may last an hour, and needs neither. */
  #parts: HandshakeParts | null;
  /** The organization that it counts for among the connections, from when it was forwarded. */
  #organization: OrganizationId | null = null;
  #relay: Relay | null = null;
  #session: SocketSession | null = null;

  constructor(node: GatewayNode, connections: Connections, parts: HandshakeParts) {
    this.#node = node;
    this.#connections = connections;
    this.#connection = parts.connection;
    this.#parts = parts;
  }

  forward(admitted: AdmittedCall, body: OutboundBody): void {
    const { request, response, connection } = this.#parts!;
    const destination = this.#upgrading(admitted.chosen.destination, admitted);
    const call: AdmittedCall = { ...admitted, chosen: { ...admitted.chosen, destination } };
    const relay: Relay = new Relay({ node: this.#node, call, request, response, body: this.#withModel(body), over: () => this.#over(relay) });
    this.#relay = relay;
    this.#organization = call.held.organization.id;
    this.#node.sessions.takePlace(this.#organization);
    this.#node.counters.inFlight += 1;
    this.#node.counters.forwarded += 1;
    this.#connections.began(connection, relay);
    relay.start();
  }

  /** A handshake has no body: its model is the one that the connection asks for. */
  #withModel(body: OutboundBody): OutboundBody {
    return {
      content: body.content, contentLength: body.contentLength, asksLater: body.asksLater, hidesUsage: body.hidesUsage,
      overBound: body.overBound, modelsAsked: body.modelsAsked,
      requestedModel: () => this.#session?.askedModel ?? null, written: null, receivedBytes: () => body.receivedBytes(),
      release: () => body.release(), drop: () => body.drop(),
    };
  }

  #over(underWay: Relay | SocketSession): void {
    this.#node.counters.inFlight -= 1;
    this.#node.sessions.leavePlace(this.#organization!);
    this.#connections.ended(this.#connection.socket, underWay);
  }

  /** Where a call's request is sent to be answered by 101. */
  #upgrading(destination: Destination, call: AdmittedCall): Destination {
    return {
      send: (request, observer) => destination.upgrade(request, {
        head: (status, reason, headers) => observer.head(status, reason, headers),
        data: (chunk) => observer.data(chunk),
        end: () => observer.end(),
        failed: (fault) => observer.failed(fault),
        upgraded: (upgraded) => this.#upgraded(upgraded, call, observer),
      }),
      upgrade: (request, observer) => destination.upgrade(request, observer),
      close: () => destination.close(),
    };
  }

  #upgraded(upgraded: Upgraded, call: AdmittedCall, observer: ExchangeObserver): void {
    const compression = compressionOf(upgraded.headers);
    const recording = compression === 'unreadable' ? null : this.#relay!.handOver();
    if (recording === null) {
      upgraded.socket.on('error', () => {}).destroy();
      return observer.failed({ kind: 'protocol', cause: new ExchangeError('protocol', 'The connection agrees to an extension that is not known.') });
    }
    const { socket } = this.#connection;
    const { response, first } = this.#parts!;
    upgraded.socket.on('error', destroyThis);
    this.#connections.ended(socket, this.#relay!);
    response.detachSocket(socket);
    socket.setTimeout(0);
    socket.setNoDelay(true).setKeepAlive(true, 60_000);
    socket.write(switchingHead(upgraded, call), 'latin1');
    const session: SocketSession = new SocketSession({
      node: this.#node, call, recording, caller: socket, provider: upgraded.socket, compression: compression as Compression | null,
      providerRequestId: responseHead(upgraded.headers, null).providerRequestId, over: () => this.#over(session),
    });
    this.#session = session;
    this.#parts = this.#relay = null;
    this.#connection.shown = null;
    this.#connections.began(this.#connection, session);
    session.begin(first, upgraded.first);
  }
}

/** The head of the provider's answer, with the fields that stand on every connection put back. */
function switchingHead({ reason, headers }: Upgraded, call: AdmittedCall): string {
  const pairs = ['connection', 'Upgrade', 'upgrade', 'websocket', header.requestId, call.id, ...inboundResponseHeaders(headers)];
  let head = `HTTP/1.1 101 ${reason}\r\n`;
  for (let at = 0; at < pairs.length; at += 2) head += `${pairs[at]}: ${pairs[at + 1]}\r\n`;
  return `${head}\r\n`;
}
