/**
 * The specification's error table: kind of refusal → status, code, type, sentence. Spec: Errors; design 3, rows 3 to 3b.
 * Typed by the kinds, so a kind without a row does not compile. `respond.ts` is the only reader.
 */
import type { Refusal } from '@metergate/core/refusal.ts';
import type { Wire } from '@metergate/core/call/route.ts';

/** What a refusal says; `param` is null always. */
export interface RefusalAnswer {
  readonly status: number;
  readonly code: string;
  readonly type: 'invalid_request_error' | 'insufficient_quota' | 'rate_limit_error' | 'api_error';
  readonly message: string;
}

type Row<Kind extends Refusal['kind']> = (refusal: Extract<Refusal, { kind: Kind }>) => RefusalAnswer;

const request = 'invalid_request_error';

const rows: { readonly [Kind in Refusal['kind']]: Row<Kind> } = {
  unknown_url: ({ method, path }) => ({
    status: 404, code: 'unknown_url', type: request, message: `Unknown request URL: ${method} ${path}.`,
  }),
  malformed_request: ({ fault }) => ({ status: 400, code: 'invalid_request', type: request, message: fault }),
  expectation_unknown: () => ({
    status: 417, code: 'invalid_request', type: request, message: 'Expect may only be "100-continue".',
  }),
  request_timeout: () => ({
    status: 408, code: 'request_timeout', type: request, message: 'The request did not arrive in time.',
  }),
  headers_too_large: () => ({
    status: 431, code: 'headers_too_large', type: request, message: 'The request headers are larger than 16 KiB.',
  }),
  service_key_invalid: () => ({ status: 401, code: 'invalid_api_key', type: request, message: 'Invalid API key.' }),
  upstream_not_declared: () => ({
    status: 400, code: 'upstream_not_declared', type: request,
    message: 'This workspace has not declared an upstream. Declare one before sending traffic to /upstream/v1.',
  }),
  upstream_not_enabled: () => ({
    status: 400, code: 'upstream_not_enabled', type: request,
    message: "This workspace's declared upstream is not enabled. Enable it before sending traffic to /upstream/v1.",
  }),
  provider_key_missing: ({ wire }) => ({
    status: 401, code: 'provider_key_missing', type: request,
    message: `No ${providerName[wire]} key is connected for this workspace.`,
  }),
  provider_key_unavailable: ({ wire }) => ({
    status: 401, code: 'provider_key_unavailable', type: request,
    message: `The ${providerName[wire]} key for this workspace is temporarily unavailable. Retry shortly.`,
  }),
  upstream_unreachable: () => ({
    status: 502, code: 'upstream_unreachable', type: 'api_error', message: 'Upstream provider unreachable.',
  }),
  upstream_not_public: () => ({
    status: 502, code: 'upstream_unreachable_destination', type: 'api_error',
    message: "This workspace's declared upstream could not be reached at a public address. Nothing was forwarded.",
  }),
  internal_fault: () => ({
    status: 500, code: 'internal_error', type: 'api_error',
    message: 'The gateway cannot process this request right now. Nothing was forwarded.',
  }),
};

/** How messages name a destination (design 3, row 18). */
const providerName: { readonly [W in Wire]: string } = { openai: 'OpenAI', anthropic: 'Anthropic', upstream: 'declared upstream' };

/** The answer for a refusal. */
export function answerFor(refusal: Refusal): RefusalAnswer {
  return (rows[refusal.kind] as Row<Refusal['kind']>)(refusal as never);
}
