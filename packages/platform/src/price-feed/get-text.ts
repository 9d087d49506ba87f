/**
 * One text from an address that the operator set, such as a price list: from the exact address that the guard checked, without following redirects,
 * whole or not at all, within a bound of size and time.
 */
import type { IncomingMessage } from 'node:http';
import type { AddressGuard } from '@metergate/store/network/address-guard.ts';
import { outwardReason, outwardRequest } from '../network/outward-request.ts';

interface GetRules {
  readonly guard: AddressGuard;
  /** From the dial to the last byte, milliseconds. */
  readonly deadlineMs: number;
  readonly bytesMax: number;
  /** What the server named the text last time; null: ask for it in any case. */
  readonly etag: string | null;
}

type GotText =
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly etag: string | null }
  | { readonly kind: 'unchanged' }
  /** A sentence's end, without the address: it may hold a secret. */
  | { readonly kind: 'fault'; readonly why: string };

const etagMax = 500;

/** Never throws. */
export async function getText(address: string, { guard, deadlineMs, bytesMax, etag }: GetRules): Promise<GotText> {
  try {
    return await outwardRequest(new URL(address), { guard, deadlineMs, headers: {
      accept: 'application/json, text/plain', 'user-agent': 'metergate-prices', ...(etag === null ? {} : { 'if-none-match': etag }),
    } }, (answer) => bodyOf(answer, bytesMax));
  } catch (error) {
    return fault(outwardReason(error));
  }
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
