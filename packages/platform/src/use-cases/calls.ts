/**
 * The records of an organization's calls, newest first. Rules: Record; rules: `calls list`.
 */
import { callRecordToJson, type CallRecordJson } from '@metergate/core/record/call-record.ts';
import type { CallFilter, CallPlace } from '@metergate/store/calls/call-pages.ts';
import { z } from 'zod';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { findFigures } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

export const callsLimit = { default: 100, max: 10_000 } as const;

interface CallsQuery {
  /** Id or name, of an erased organization its id alone. */
  readonly organization: string;
  /** Calls that started from this moment on. */
  readonly sinceMs?: number;
  /** Up to this moment, excluded. */
  readonly untilMs?: number;
  /** Calls with exactly these names, endings and states. */
  readonly filter?: CallFilter;
  /** At most this many, newest first: 1 to 10,000. */
  readonly limit?: number;
}

const limitField = z.int({ error: `The limit must be a whole number from 1 to ${callsLimit.max}.` })
  .min(1, { error: 'The limit must be at least 1.' })
  .max(callsLimit.max, { error: `The limit must be at most ${callsLimit.max}.` });

/**
 * Call records, newest first, a page at a time. An erased organization is found by its id. Refuses `unknown_organization` and a limit out of
 * range.
 */
export async function listCalls(context: UseCaseContext, query: CallsQuery): Promise<CallRecordJson[] | AdministrationRefusal> {
  const limit = checkInput(limitField, query.limit ?? callsLimit.default);
  if (isRefusal(limit)) return limit;
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const { organization: _, ...asked } = query;
  const records = await context.store.callPages.page({ ...asked, organization: organization.id, limit: limit.value });
  return (records ?? []).map(callRecordToJson);
}

/** The records after `after`, for lists that are read page by page. Null: the organization has no such record. */
export async function pageCalls(
  context: UseCaseContext, { organization: idOrName, ...query }: Omit<CallsQuery, 'limit'> & { readonly limit: number; readonly after?: CallPlace },
): Promise<CallRecordJson[] | AdministrationRefusal | null> {
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const records = await context.store.callPages.page({ organization: organization.id, ...query });
  return records === null ? null : records.map(callRecordToJson);
}

/** One call of the organization; null: of any, which only the operator may see. */
export async function showCall(context: UseCaseContext, idOrName: string | null, id: string): Promise<CallRecordJson | AdministrationRefusal> {
  const organization = idOrName === null ? null : await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const record = /^req_[0-9a-f]{32}$/.test(id) ? await context.store.callPages.find(organization?.id ?? null, id) : null;
  return record === null ? refuseInput('unknown_call', 'There is no such call.') : callRecordToJson(record);
}
