/** The headers that a call is sent with, by where it goes. */
import { outboundRequestHeaders, upstreamRequestHeaders, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import type { AdmittedCall } from './admitted-call.ts';

/** As the caller sent them, with the destination's credential. */
export function outboundHeaders({ route, chosen: { credential, beside } }: AdmittedCall, rawHeaders: HeaderPairs): string[] {
  return route.upstream === null ? outboundRequestHeaders(rawHeaders, credential) : upstreamRequestHeaders(rawHeaders, credential, beside);
}
