/**
 * Every reason why the gateway refuses a call, as facts. The sentences are the gateway's table (gateway/src/callers/refusals.ts). A refusal is a
 * value, returned; a fault is an error, thrown. Spec: Errors; rules 3 to 3b.
 */
import type { ModelRefusal } from './call/allowed-models.ts';
import type { FramingFault } from './call/framing.ts';
import type { Wire } from './wire/wire.ts';
import type { UnmeteredWork } from './usage/unmetered.ts';
import type { CapRefusal } from './spend/cap-decision.ts';

export type Refusal =
  | {
    readonly kind: 'unknown_url'; readonly method: string; readonly path: string;
    /** The path is that of an upstream by this name, and the caller's organization has declared others, but not this one. */
    readonly undeclared?: string;
  }
  | { readonly kind: 'malformed_request'; readonly fault: FramingFault | 'The request is not valid HTTP/1.1.' }
  | { readonly kind: 'expectation_unknown' }
  | { readonly kind: 'upgrade_unsupported' }
  | { readonly kind: 'connections_full' }
  | { readonly kind: 'responses_full' }
  | { readonly kind: 'node_stopping' }
  | { readonly kind: 'request_timeout' }
  | { readonly kind: 'headers_too_large' }
  | { readonly kind: 'service_key_invalid' }
  | { readonly kind: 'wrong_base_url' }
  | { readonly kind: 'upstream_not_declared' }
  | { readonly kind: 'upstream_not_enabled' }
  | { readonly kind: 'named_upstream_not_enabled'; readonly name: string }
  | { readonly kind: 'provider_key_missing'; readonly wire: Wire }
  | { readonly kind: 'provider_key_unavailable'; readonly wire: Wire }
  | { readonly kind: 'upstream_token_unavailable'; readonly token: string }
  | { readonly kind: 'upstream_body_unsigned' }
  | { readonly kind: 'run_id_invalid' }
  | { readonly kind: 'run_budget_invalid' }
  | { readonly kind: 'run_ttl_invalid' }
  | { readonly kind: 'run_grant_invalid' }
  | { readonly kind: 'model_not_allowed'; readonly refused: ModelRefusal }
  | { readonly kind: 'unmetered_work_refused'; readonly work: UnmeteredWork }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number }
  | CapRefusal
  | { readonly kind: 'run_closed' }
  | { readonly kind: 'run_expired' }
  | { readonly kind: 'run_over_budget' }
  | { readonly kind: 'run_registry_full' }
  | { readonly kind: 'run_envelope_zero' }
  | { readonly kind: 'run_exposure_exhausted' }
  | { readonly kind: 'run_unconfirmed' }
  | { readonly kind: 'upstream_unreachable' }
  | { readonly kind: 'upstream_not_public' }
  | { readonly kind: 'internal_fault' };
