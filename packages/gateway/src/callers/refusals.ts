/**
 * The specification's error table: kind of refusal → status, code, type, sentence. Spec: Errors; rules 3 to 3b.
 * Typed by the kinds, so a kind without a row does not compile. `respond.ts` is the only reader.
 */
import type { Refusal } from '@metergate/core/refusal.ts';
import type { ModelRefusal } from '@metergate/core/call/allowed-models.ts';
import { wires } from '@metergate/core/wire/wire.ts';
import type { UnmeteredKind, UnmeteredWork } from '@metergate/core/usage/unmetered.ts';
import { untoldCallsMax } from '@metergate/core/record/untold-calls.ts';
import { scopeText, type BindingScope } from '@metergate/core/spend/cap-decision.ts';
import type { CalendarWindow } from '@metergate/core/spend/window.ts';

/** What a refusal says; `param` is null always. */
export interface RefusalAnswer {
  readonly status: number;
  readonly code: string;
  readonly type: 'invalid_request_error' | 'insufficient_quota' | 'rate_limit_error' | 'api_error';
  readonly message: string;
  /** Whole seconds; absent: no `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** For SDKs, which otherwise repeat what they take for passing: within the call, after the whole of `Retry-After`. */
  readonly shouldRetry?: false;
  /** The cap or run that refused; absent: no budget headers. */
  readonly budget?: {
    readonly scope: BindingScope | 'run';
    /** The scope as headers name it. */
    readonly named: string;
    readonly window: CalendarWindow | 'run';
  };
}

type Row<Kind extends Refusal['kind']> = (refusal: Extract<Refusal, { kind: Kind }>) => RefusalAnswer;

const request = 'invalid_request_error';
const quota = 'insufficient_quota';

/** How sentences name a window. */
const windowName: { readonly [W in CalendarWindow]: string } = {
  day: 'Daily', week: 'Weekly', month: 'Monthly', year: 'Yearly', lifetime: 'Lifetime',
};

/** How sentences name whose budget it is. A label is named as its caller sent it, as far as it fits a sentence. */
function ofWhom({ scope, subject }: { readonly scope: BindingScope; readonly subject: string | null }): string {
  switch (scope) {
    case 'organization': return '';
    case 'key': return ' for this API key';
    case 'person': return ' for the person of this API key';
    case 'label': return ` for the label ${/^[\x20-\x7e]{1,128}$/.test(subject!) ? `"${subject}"` : 'of this request'}`;
  }
}

const runBudget = { scope: 'run', named: 'run', window: 'run' } as const;

/** A refusal of a run: 402, without further headers (rule 1). */
function runRefusal(code: string, message: string): () => RefusalAnswer {
  return () => ({ status: 402, code, type: quota, message });
}

/** How sentences name work whose cost is not known at its end. */
const unmeteredWork: { readonly [Kind in UnmeteredKind]: string } = {
  deferred: 'work that is billed later',
  unreported: 'work whose usage is never reported',
  handedOut: 'calls that hand out a provider key or a channel past the gateway',
  hidden: 'calls that ask for an answer without their usage (part of the fields, another form than JSON, a stream without include_usage)',
};

const unreadBody = ', and the body of this request could not be read to rule it out (plain JSON up to 32 MiB can)';

function unmeteredSentence({ kind, rule, ground }: UnmeteredWork): string {
  const where = rule === 'refuse' ? '' : ' under a spend cap or a run budget';
  const untold = `, and ${untoldCallsMax} answers to this API key, or to its person's keys, reported no usage in this hour`;
  const why = { asked: '', unread: unreadBody, untold }[ground];
  return `This organization refuses ${unmeteredWork[kind]}${where}${why}; an admin can allow it in its settings.`;
}

function modelSentence({ of, model }: ModelRefusal): string {
  const whose = of === 'key' ? 'This API key' : 'This organization';
  if (model === null) {
    return `${whose} allows certain models only, and no model could be read from this request (plain JSON and forms up to 32 MiB can be read).`;
  }
  // A name that fits a sentence: printable, and no longer than models' names are.
  const named = /^[\x21-\x7e]{1,128}$/.test(model) ? `the model ${model}` : 'the model that this request names';
  return `${whose} does not allow ${named}; an admin can change the list of models.`;
}

/** What is missing at a path that could be an upstream's; empty for any other path. */
function undeclaredText(name: string | undefined): string {
  return name === undefined ? '' : ` This organization has not declared an upstream named "${name}"; an admin can declare one, and enable it.`;
}

const rows: { readonly [Kind in Refusal['kind']]: Row<Kind> } = {
  unknown_url: ({ method, path, undeclared }) => ({
    status: 404, code: 'unknown_url', type: request, message: `Unknown request URL: ${method} ${path}.${undeclaredText(undeclared)}`,
  }),
  malformed_request: ({ fault }) => ({ status: 400, code: 'invalid_request', type: request, message: fault }),
  expectation_unknown: () => ({
    status: 417, code: 'invalid_request', type: request, message: 'Expect may only be "100-continue".',
  }),
  upgrade_unsupported: () => ({
    status: 426, code: 'upgrade_not_supported', type: request,
    message: 'The gateway speaks plain HTTP at this path, not WebSocket. Send the request over HTTP.',
  }),
  connections_full: () => ({
    status: 503, code: 'connections_full', type: 'api_error',
    message: 'This gateway node holds as many WebSocket connections as it can. Retry shortly, or send requests over HTTP.', retryAfterSeconds: 5,
  }),
  responses_full: () => ({
    status: 429, code: 'responses_full', type: 'rate_limit_error',
    message: 'This connection has as many responses under way as it may. Wait for one of them to end, or open another connection.',
  }),
  node_stopping: () => ({
    status: 503, code: 'node_stopping', type: 'api_error',
    message: 'This gateway node is stopping and begins nothing new. Connect again.', retryAfterSeconds: 1,
  }),
  request_timeout: () => ({
    status: 408, code: 'request_timeout', type: request, message: 'The request did not arrive in time.',
  }),
  headers_too_large: () => ({
    status: 431, code: 'headers_too_large', type: request, message: 'The request headers are larger than 16 KiB.',
  }),
  service_key_invalid: () => ({ status: 401, code: 'invalid_api_key', type: request, message: 'Invalid API key.' }),
  wrong_base_url: () => ({
    status: 400, code: 'wrong_base_url', type: request,
    message: 'This request carries anthropic-version, but at this path it would go to OpenAI. '
      + 'Add /alt to the base URL of your Anthropic client. Nothing was forwarded.',
  }),
  upstream_not_declared: () => ({
    status: 400, code: 'upstream_not_declared', type: request,
    message: 'This workspace has not declared an upstream. Declare one before sending traffic to /upstream/v1.',
  }),
  upstream_not_enabled: () => ({
    status: 400, code: 'upstream_not_enabled', type: request,
    message: "This workspace's declared upstream is not enabled. Enable it before sending traffic to /upstream/v1.",
  }),
  named_upstream_not_enabled: ({ name }) => ({
    status: 400, code: 'upstream_not_enabled', type: request,
    message: `This organization's upstream "${name}" is not enabled. Enable it before sending traffic to /upstreams/${name}.`,
  }),
  provider_key_missing: ({ wire }) => ({
    status: 401, code: 'provider_key_missing', type: request,
    message: `No ${wires[wire].displayName} key is connected for this workspace.`,
  }),
  provider_key_unavailable: ({ wire }) => ({
    status: 401, code: 'provider_key_unavailable', type: request,
    message: `The ${wires[wire].displayName} key for this workspace is temporarily unavailable. Retry shortly.`,
  }),
  upstream_token_unavailable: ({ token }) => ({
    status: 502, code: 'upstream_token_unavailable', type: 'api_error',
    message: `No token for this workspace's upstream: its token endpoint ${token}. Nothing was forwarded.`,
  }),
  upstream_body_unsigned: () => ({
    status: 413, code: 'upstream_body_too_large', type: request,
    message: 'Requests to this upstream are signed with their body, which may have at most 32 MiB. Nothing was forwarded.',
  }),
  run_id_invalid: () => ({
    status: 400, code: 'invalid_run_id', type: request,
    message: 'x-svc-run-id must be 1 to 128 visible ASCII characters, and is required whenever any x-svc-run-* header is sent.',
  }),
  run_budget_invalid: () => ({
    status: 400, code: 'invalid_run_budget', type: request,
    message: 'x-svc-run-budget must be a positive decimal amount of US dollars with at most six decimal places, for example 5.00.',
  }),
  run_ttl_invalid: () => ({
    status: 400, code: 'invalid_run_ttl', type: request, message: 'x-svc-run-ttl must be a positive whole number of seconds.',
  }),
  run_grant_invalid: () => ({
    status: 400, code: 'invalid_run_grant', type: request,
    message: 'x-svc-run-grant did not verify. Mint a new run-budget grant for this workspace and run.',
  }),
  model_not_allowed: ({ refused }) => ({ status: 403, code: 'model_not_allowed', type: request, message: modelSentence(refused) }),
  unmetered_work_refused: ({ work }) => ({
    status: 403, code: 'unmetered_work_refused', type: request, message: unmeteredSentence(work),
  }),
  rate_limited: ({ retryAfterSeconds }) => ({
    status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error', message: 'Rate limit reached for this workspace.', retryAfterSeconds,
  }),
  cap_reached: ({ scope, subject, window, retryAfterSeconds }) => ({
    ...retryAfterSeconds !== null ? { status: 429, type: 'rate_limit_error', retryAfterSeconds } : { status: 402, type: quota },
    code: 'budget_exceeded',
    message: `${windowName[window]} budget reached${ofWhom({ scope, subject })}. ${window === 'lifetime'
      ? 'This budget does not reset; raise the cap to continue.' : 'Traffic resumes at reset, or raise the cap.'}`,
    budget: { scope, named: scopeText({ scope, subject }), window },
  }),
  cap_unconfirmed: ({ scope, subject, window }) => ({
    status: 503, code: 'budget_unverifiable', type: quota,
    message: `${windowName[window]} spend${ofWhom({ scope, subject })} cannot be confirmed right now. Retry in a moment.`,
    retryAfterSeconds: 1, budget: { scope, named: scopeText({ scope, subject }), window },
  }),
  run_closed: runRefusal('run_closed', 'This run was closed. Start a new run to continue.'),
  run_expired: runRefusal('run_expired', "This run's time limit has passed. Start a new run to continue."),
  run_over_budget: () => ({
    status: 402, code: 'budget_exceeded', type: quota,
    message: 'Run budget reached. This run is stopped for good; start a new run to continue.', budget: runBudget,
  }),
  run_registry_full: runRefusal('run_registry_full', 'This gateway node is holding as many runs as it can. Retry shortly.'),
  run_envelope_zero: runRefusal('run_envelope_zero',
    'The run budget resolved to zero. Raise the run budget policy for this key or workspace.'),
  run_exposure_exhausted: runRefusal('run_exposure_exhausted',
    'This workspace has no concurrent run budget left. Close a finished run, or wait for one to end.'),
  run_unconfirmed: () => ({
    status: 503, code: 'budget_unverifiable', type: quota, message: 'Run spend cannot be confirmed right now. Retry in a moment.',
    retryAfterSeconds: 1, budget: runBudget,
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

/** The answer for a refusal. Repeating a call does not bring spent money back, so neither a 402 nor a cap's 429 should be retried. */
export function answerFor(refusal: Refusal): RefusalAnswer {
  const answer = (rows[refusal.kind] as Row<Refusal['kind']>)(refusal as never);
  return answer.status === 402 || refusal.kind === 'cap_reached' ? { ...answer, shouldRetry: false } : answer;
}
