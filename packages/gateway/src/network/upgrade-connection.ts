/**
 * Asks a destination for a WebSocket (RFC 6455, 4.1), on a connection that is dialled for it as any other is, through the address guard and with
 * TLS, and that no pool ever has. An answer other than 101 is an answer like any. Node's client writes the request and reads the answer: this is
 * once for each connection, and what follows on it is not HTTP.
 */
import { createHash } from 'node:crypto';
import { request as requestOver, type IncomingMessage } from 'node:http';
import { allValues, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import { headBytesMax } from '../http-parser/native-parser.ts';
import type { DestinationTimeouts, UpgradeObserver } from './destination.ts';
import type { Dialler } from './dialler.ts';
import { ExchangeError, notHttp } from './exchange-fault.ts';
import type { SocketExchange } from './socket-exchange.ts';

/** Whose connection it is. */
interface UpgradeOwner {
  readonly host: string;
  readonly dialler: Dialler;
  readonly timeouts: DestinationTimeouts;
}

const notAgreed = new ExchangeError('protocol', 'The answer is 101, but does not accept the WebSocket.');
/** RFC 6455, 1.3. */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Whether a 101 is the answer to this request: it names the protocol once, and is of this request's key (RFC 6455, 4.1). */
function agrees(answer: HeaderPairs, request: HeaderPairs): boolean {
  const protocols = allValues(answer, 'upgrade');
  const accepts = allValues(answer, 'sec-websocket-accept');
  const keys = allValues(request, 'sec-websocket-key');
  if (protocols.length !== 1 || accepts.length !== 1 || keys.length !== 1) return false;
  const due = createHash('sha1').update(`${keys[0]!.trim()}${acceptSuffix}`).digest('base64');
  return protocols[0]!.trim().toLowerCase() === 'websocket' && accepts[0]!.trim() === due;
}

/** Dials for this exchange. @throws if Node does. */
export function upgradeConnection({ host, dialler, timeouts }: UpgradeOwner, exchange: SocketExchange, observer: UpgradeObserver): void {
  const { target, headers } = exchange.request;
  const socket = dialler.dial({ opened: () => {
    exchange.isWritten();
    wait(timeouts.headMs, 'timeout', 'The destination did not answer in time.');
  } });
  let timer: NodeJS.Timeout;
  const wait = (waitMs: number, kind: 'connect' | 'timeout', message: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => exchange.fail(new ExchangeError(kind, message)), waitMs).unref();
  };
  wait(timeouts.connectMs, 'connect', 'The destination could not be reached in time.');
  const request = requestOver({
    createConnection: () => socket, method: 'GET', path: target, setHost: false, maxHeaderSize: headBytesMax,
    headers: ['host', host, 'connection', 'Upgrade', 'upgrade', 'websocket', ...headers],
  });
  let answer: IncomingMessage | null = null;
  exchange.isCarriedBy({
    hold: () => answer?.pause(),
    resume: () => answer?.resume(),
    destroy: () => {
      clearTimeout(timer);
      request.destroy();
      socket.destroy();
    },
  });
  request.maxHeadersCount = 0;
  request.on('upgrade', (head: IncomingMessage, _connection: unknown, first: Buffer) => {
    clearTimeout(timer);
    if (exchange.over) return void socket.destroy();
    if (!agrees(head.rawHeaders, headers)) return exchange.fail(notAgreed);
    exchange.leave();
    observer.upgraded({ reason: head.statusMessage ?? '', headers: head.rawHeaders, socket, first });
  });
  request.on('response', (head: IncomingMessage) => {
    if (head.statusCode === 101) return void (exchange.over || exchange.fail(notAgreed));
    answer = head;
    const wakeUp = (): void => wait(timeouts.idleBodyMs, 'timeout', 'The destination fell silent within its answer.');
    wakeUp();
    const end = (cause: Error | null): void => {
      clearTimeout(timer);
      if (exchange.over) return;
      if (cause === null) exchange.end();
      else exchange.fail(cause);
      socket.destroy();
    };
    if (!exchange.over) exchange.head(head.statusCode!, head.statusMessage ?? '', head.rawHeaders);
    head.on('data', (chunk: Buffer) => {
      wakeUp();
      if (!exchange.over) exchange.data(chunk);
    });
    head.on('end', () => end(null)).on('error', end).on('close', () => end(new ExchangeError('reset', 'The destination ended its answer early.')));
  });
  request.on('error', (cause: NodeJS.ErrnoException) => {
    clearTimeout(timer);
    exchange.fail(cause.code?.startsWith('HPE_') === true ? notHttp(cause) : cause);
  });
  request.end();
}
