/**
 * A request to an address that somebody gave us (a webhook, an upstream, a list of prices): to the exact address that the guard checked, without
 * following redirects, over a connection of its own. It settles whatever is answered. Decision 320.
 */
import { request as plainRequest, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { NotPublicFault, reachOf, type AddressGuard } from '@metergate/store/network/address-guard.ts';

export interface OutwardRequest extends Pick<RequestOptions, 'method'> {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string;
  readonly guard: AddressGuard;
  /** From the dial until the answer is read, milliseconds. */
  readonly deadlineMs: number;
  /** Ends the request at once. */
  readonly signal?: AbortSignal;
}

/**
 * `switched`: it answered 101, which nobody asked for. `closed`: it ended the connection without an answer. `ended`: the signal ended it.
 */
type OutwardFaultKind = 'not_public' | 'late' | 'switched' | 'closed' | 'untrusted' | 'failed' | 'ended';

/** Why there is no answer. The message is a sentence's end that names no address: it may hold a secret. */
export class OutwardFault extends Error {
  readonly kind: OutwardFaultKind;
  constructor(kind: OutwardFaultKind, message: string) {
    super(message);
    this.name = 'OutwardFault';
    this.kind = kind;
  }
}

/** Interim answers (1xx) to one request. Servers send one or two. */
const interimMax = 20;

/**
 * Sends the request and has `read` read its answer. Whatever comes first settles it: what `read` gives, a fault, the connection's end, the deadline,
 * or the signal. The connection is closed then. @throws OutwardFault, or what `read` throws
 */
export function outwardRequest<T>(url: URL, asked: OutwardRequest, read: (answer: IncomingMessage) => T | Promise<T>): Promise<T> {
  const { guard, deadlineMs, signal, body, method, headers } = asked;
  const reach = reachOf(url);
  if (guard.refuseLiteral(url.hostname, reach) !== null) return Promise.reject(notPublic());
  if (signal?.aborted === true) return Promise.reject(ended());
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const begin = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const request = begin(url, { method, headers, agent: false, lookup: guard.lookupFor(reach) });
  const endNow = (): void => fail(ended());
  const late = setTimeout(() => fail(new OutwardFault('late', 'it did not answer in time')), deadlineMs);
  const over = (): void => {
    clearTimeout(late);
    signal?.removeEventListener('abort', endNow);
    request.destroy();
  };
  const fail = (fault: unknown): void => {
    reject(fault instanceof Error ? fault : new Error('the answer was not read'));
    over();
  };
  signal?.addEventListener('abort', endNow, { once: true });
  // The address that was reached is checked as well, before a byte is written to it.
  request.once('socket', (socket) => socket.prependOnceListener('connect', () => {
    if (!guard.admits(socket.remoteAddress, reach)) socket.destroy(new NotPublicFault(url.hostname, 'was reached at an address that is not public'));
  }));
  hear(request, fail, (answer) => {
    // What befalls it after it was read is of no interest. While it is read, the reader meets it.
    answer.on('error', () => {});
    void (async () => read(answer))().then(resolve, fail).finally(over);
  });
  request.end(body);
  return promise;
}

/** A client without a listener for `upgrade` closes the connection at a 101 and tells only that it is closed. */
function hear(request: ClientRequest, fail: (fault: OutwardFault) => void, answered: (answer: IncomingMessage) => void): void {
  let interim = 0;
  let isAnswered = false;
  const switched = (): void => fail(new OutwardFault('switched', 'it answered with status 101, which nobody asked for'));
  request.on('upgrade', (_head: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {}).destroy();
    switched();
  });
  request.on('information', () => {
    interim += 1;
    if (interim > interimMax) fail(new OutwardFault('failed', 'it sent interim answers without end'));
  });
  request.on('response', (answer) => {
    isAnswered = true;
    if (answer.statusCode === 101) return switched();
    answered(answer);
  });
  request.on('error', (error) => fail(faultOf(error)));
  // An answer whose connection is closed may still be read to its end.
  request.on('close', () => {
    if (!isAnswered) fail(new OutwardFault('closed', 'it closed the connection without an answer'));
  });
}

function faultOf({ code }: NodeJS.ErrnoException): OutwardFault {
  if (code === 'not_public') return notPublic();
  if (code?.startsWith('ERR_TLS') === true || code?.includes('CERT') === true) {
    return new OutwardFault('untrusted', 'its certificate cannot be trusted');
  }
  return new OutwardFault('failed', `the connection failed (${code ?? 'unknown'})`);
}

function notPublic(): OutwardFault {
  return new OutwardFault('not_public', 'the address is not public');
}

function ended(): OutwardFault {
  return new OutwardFault('ended', 'the request was ended');
}

/** The sentence's end for what `outwardRequest` rejects with: also of an answer that broke off while it was read. */
export function outwardReason(fault: unknown): string {
  if (fault instanceof OutwardFault) return fault.message;
  return faultOf(fault instanceof Error ? fault : new Error()).message;
}
