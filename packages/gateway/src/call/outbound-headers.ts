/** The headers that a call is sent with, by where it goes. */
import { outboundRequestHeaders, upstreamRequestHeaders, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import type { CredentialHeader } from '@metergate/core/wire/wire.ts';
import type { CallerRequest } from '../callers/caller-exchange.ts';
import type { ReadHead } from '../callers/read-head.ts';
import { KeptHead } from '../network/kept-head.ts';
import type { AdmittedCall } from './admitted-call.ts';

/** The list, and where the client may keep what it makes of it; null: another call hardly has it. */
interface OutboundHead {
  readonly headers: string[];
  readonly kept: KeptHead | null;
}

/** Made of a head that comes again, and for what. */
interface MadeHead extends OutboundHead {
  readonly credential: CredentialHeader | null;
  readonly target: string;
}

/** The latest of each head. */
const made = new WeakMap<ReadHead, MadeHead>();

/** As the caller sent them, with the destination's credential. The list is not to be changed: the next call may have it, too. */
export function outboundHead(call: AdmittedCall, request: CallerRequest): OutboundHead {
  const { chosen: { credential, beside, maker, target } } = call;
  const readHead = 'readHead' in request ? request.readHead : null;
  if (readHead?.comesAgain !== true || maker !== null || beside.length > 0) {
    return { headers: outboundHeaders(call, request.rawHeaders), kept: null };
  }
  const known = made.get(readHead);
  if (known !== undefined && known.target === target && isSame(known.credential, credential)) return known;
  const head = { headers: outboundHeaders(call, request.rawHeaders), kept: new KeptHead(), credential, target };
  made.set(readHead, head);
  return head;
}

function isSame(one: CredentialHeader | null, other: CredentialHeader | null): boolean {
  return one === other || (one !== null && other !== null && one.name === other.name && one.value === other.value);
}

/** As the caller sent them, with the destination's credential. */
function outboundHeaders({ route, chosen: { credential, beside } }: AdmittedCall, rawHeaders: HeaderPairs): string[] {
  return route.upstream === null ? outboundRequestHeaders(rawHeaders, credential) : upstreamRequestHeaders(rawHeaders, credential, beside);
}
