/**
 * Every reason why the gateway says no, as facts; what it says is the gateway's table (gateway/src/refusals.ts).
 * A refusal is a value, returned; a fault is an error, thrown. Spec: Errors; design 3, rows 3 to 3b.
 */
import type { FramingFault } from './call/framing.ts';
import type { Wire } from './call/route.ts';

export type Refusal =
  | { readonly kind: 'unknown_url'; readonly method: string; readonly path: string }
  | { readonly kind: 'malformed_request'; readonly fault: FramingFault | 'The request is not valid HTTP/1.1.' }
  | { readonly kind: 'expectation_unknown' }
  | { readonly kind: 'request_timeout' }
  | { readonly kind: 'headers_too_large' }
  | { readonly kind: 'service_key_invalid' }
  | { readonly kind: 'upstream_not_declared' }
  | { readonly kind: 'upstream_not_enabled' }
  | { readonly kind: 'provider_key_missing'; readonly wire: Wire }
  | { readonly kind: 'provider_key_unavailable'; readonly wire: Wire }
  | { readonly kind: 'upstream_unreachable' }
  | { readonly kind: 'upstream_not_public' }
  | { readonly kind: 'internal_fault' };
