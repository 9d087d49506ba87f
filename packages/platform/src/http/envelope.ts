/**
 * The platform's error answers: `{error: {code, message}}` and a status. Rules: Platform HTTP.
 * One table from refusal codes to statuses. A sentence never repeats what was sent.
 */
import { isStoreAway } from '@metergate/store/engine/fault.ts';
import type { AdministrationRefusal } from '../use-cases/refusal.ts';

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string };
}

/** An error answer, thrown or returned on the way to the handler. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'HttpRefusal';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Statuses of the refusal codes that are not 400. A code that begins with `unknown_` is 404. */
const statuses: Readonly<Record<string, number>> = {
  unauthorized: 401,
  wrong_password: 401,
  forbidden: 403,
  no_role: 403,
  email_not_verified: 403,
  provider_not_connected: 404,
  upstream_not_declared: 404,
  tap_key_already_shown: 404,
  invitation_not_valid: 404,
  no_receipts: 404,
  changed_meanwhile: 409,
  credential_missing: 409,
  no_allocation: 404,
  unknown_team: 404,
  unknown_budget: 404,
  month_not_over: 409,
  month_closed: 409,
  month_not_closed: 409,
  month_order: 409,
  month_changed: 409,
  month_waiting: 409,
  month_incomplete: 409,
  password_link_not_valid: 404,
  name_taken: 409,
  key_taken: 409,
  too_many_keys: 409,
  sign_in_over: 409,
  too_many_sign_ins: 429,
  key_revoked: 409,
  email_taken: 409,
  already_member: 409,
  last_way_in: 409,
  last_owner: 409,
  baseline_exists: 409,
  provider_key_unreadable: 409,
  sandbox_placeholder: 409,
  baseline_closed: 410,
  tap_retired: 410,
  too_many_attempts: 429,
  provider_unreachable: 502,
  gateway_unreachable: 502,
  busy: 503,
  unavailable: 503,
};

export function statusOf(code: string): number {
  return code.startsWith('unknown_') ? 404 : (statuses[code] ?? 400);
}

/** A use case's refusal as an HTTP answer. */
export function httpRefusalOf({ refused: { code, message } }: AdministrationRefusal): HttpRefusal {
  return new HttpRefusal(statusOf(code), code, message);
}

export function errorResponse({ status, code, message, headers }: HttpRefusal): Response {
  return new Response(JSON.stringify({ error: { code, message } } satisfies ErrorBody), {
    status, headers: { 'content-type': 'application/json', ...headers },
  });
}

/** The same bytes for what does not exist and for what belongs to another organization. */
export function notFound(): HttpRefusal {
  return new HttpRefusal(404, 'not_found', 'There is nothing at this address.');
}

/** More sign-ins are waiting than can be answered in a moment. */
export function busy(): HttpRefusal {
  return new HttpRefusal(503, 'busy', 'Too many people are signing in right now. Try again in a moment.', { 'retry-after': '2' });
}

/** Whoever asked has left, so nobody reads this. */
export function unread(): HttpRefusal {
  return new HttpRefusal(503, 'unavailable', 'Nobody waits for this answer any more.');
}

/** Its thread ended for what it, or another report beside it, took. */
export function tooLargeReport(): HttpRefusal {
  return new HttpRefusal(503, 'busy', 'Reports took more memory than there is for them. Ask again, for less at once: a shorter time, say.', {
    'retry-after': '2',
  });
}

/** The asker has more requests waiting than it may. Nothing of this one was looked at. */
export function tooManyAtOnce(): HttpRefusal {
  return new HttpRefusal(503, 'busy', 'Too many of your requests are waiting. Try again in a moment.', { 'retry-after': '1' });
}

/** The store is away or cannot work. Of what was asked it is not known whether it was done. */
function unavailable(): HttpRefusal {
  return new HttpRefusal(503, 'unavailable', 'The store cannot answer this request right now. Try again in a moment.', { 'retry-after': '2' });
}

/** It answers, and did not finish this in time: a lock was held, or the question takes too long. */
function storeBusy(): HttpRefusal {
  return new HttpRefusal(503, 'busy', 'The store did not finish this in time. Try again in a moment, or ask for less at once.', {
    'retry-after': '2',
  });
}

/** The answer to a fault that nothing else is known of. Its cause goes only to the log. */
export function answerToFault(fault: unknown): HttpRefusal {
  if (!isStoreAway(fault)) return internalError();
  return fault.code === 'store_busy' ? storeBusy() : unavailable();
}

/** Our own fault; its cause goes only to the log. */
function internalError(): HttpRefusal {
  return new HttpRefusal(500, 'internal_error', 'The platform cannot answer this request right now.');
}
