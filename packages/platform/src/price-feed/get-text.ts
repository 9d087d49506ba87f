/**
 * One text from an address that the operator set, such as a price list: from the exact address that the guard checked, without following redirects,
 * whole or not at all, within a bound of size and time.
 */
import type { IncomingMessage } from 'node:http';
import type { AddressGuard } from '@metergate/store/network/address-guard.ts';
import { outwardRequest } from '../network/outward-request.ts';

export interface GetRules {
  readonly guard: AddressGuard;
  /** From the dial to the last byte, milliseconds. */
  readonly deadlineMs: number;
  readonly bytesMax: number;
  /** What the server named the text last time; null: ask for it in any case. */
  readonly etag: string | null;
}

export type GotText =
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly etag: string | null }
  | { readonly kind: 'unchanged' }
  /** A sentence's end, without the address: it may hold a secret. */
  | { readonly kind: 'fault'; readonly why: string };

const etagMax = 500;

/** Never throws. */
export function getText(address: string, { guard, deadlineMs, bytesMax, etag }: GetRules): Promise<GotText> {
  const { promise, resolve } = Promise.withResolvers<GotText>();
  const request = outwardRequest(new URL(address), guard, {
    headers: { accept: 'application/json, text/plain', 'user-agent': 'metergate-prices', ...(etag === null ? {} : { 'if-none-match': etag }) },
  });
  if (request === null) return Promise.resolve(fault('the address is not public'));
  const late = setTimeout(() => request.destroy(new Error('late')), deadlineMs);
  const settle = (got: GotText): void => {
    clearTimeout(late);
    resolve(got);
    request.destroy();
  };
  request.on('response', (response) => void bodyOf(response, bytesMax).then(settle, (error: Error) => settle(fault(reasonOf(error)))));
  request.on('error', (error) => settle(fault(reasonOf(error))));
  request.end();
  return promise;
}

async function bodyOf(response: IncomingMessage, bytesMax: number): Promise<GotText> {
  const { statusCode: status = 0, headers } = response;
  if (status === 304) return { kind: 'unchanged' };
  if (status !== 200) return fault(`it answered with status ${status}`);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > bytesMax) return fault(`it is larger than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  const named = headers.etag ?? null;
  return { kind: 'text', bytes: Buffer.concat(pieces), etag: named !== null && named.length <= etagMax ? named : null };
}

function fault(why: string): GotText {
  return { kind: 'fault', why };
}

function reasonOf({ message, code }: Error & { readonly code?: string }): string {
  if (message === 'late') return 'it did not answer in time';
  if (code === 'not_public') return 'the address is not public';
  if (code?.startsWith('ERR_TLS') === true || code?.includes('CERT') === true) return 'its certificate cannot be trusted';
  return `the connection failed (${code ?? 'unknown'})`;
}
