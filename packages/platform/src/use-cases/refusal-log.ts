/** Single refused calls of an organization, newest first, and one found by an id that its caller was shown. Decision 159. */
import type { RefusalEntry } from '@metergate/core/report/refusal-entries.ts';
import type { RefusalReason } from '@metergate/core/report/refusal-count.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { ListPage } from '@metergate/store/engine/list-page.ts';
import { refusalEntriesKeptMs, type RefusalFilter } from '@metergate/store/usage/refusal-log.ts';
import type { UseCaseContext } from './context.ts';
import { findFigures } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

export interface ShownRefusal extends RefusalReason {
  /** `x-svc-request-id` of the answer. */
  readonly id: string;
  /** `x-request-id` of the answer, which SDKs show. */
  readonly answerId: string;
  /** Id of the service key. */
  readonly key: string;
  /** The run that the call named. */
  readonly run: string | null;
  readonly refusedAt: string;
}

interface RefusalLogInput extends ListPage {
  /** Id or name. */
  readonly organization: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly filter?: RefusalFilter;
}

export const refusalLogMax = 1_000;

/** Newest first; nothing older than fourteen days. Refuses `unknown_organization`. */
export async function listRefusals(context: UseCaseContext, input: RefusalLogInput): Promise<ShownRefusal[] | AdministrationRefusal> {
  const { sinceMs = -Infinity, untilMs = Infinity, filter = {}, after, limit = refusalLogMax } = input;
  const organization = await findFigures(context, input.organization);
  if (isRefusal(organization)) return organization;
  // Clocks of nodes may be ahead of this one.
  const [fromMs, toMs] = [Math.max(sinceMs, context.nowMs - refusalEntriesKeptMs), Math.min(untilMs, context.nowMs + refusalEntriesKeptMs)];
  const entries = await context.store.refusalLog.page({ organization: organization.id, fromMs, toMs, filter, after, limit });
  return entries.map(shownRefusal);
}

/** By either id of its answer. Refuses `unknown_organization` and `unknown_refusal`, whether it is another organization's or nobody's. */
export async function showRefusal(
  context: UseCaseContext, organization: string, id: string,
): Promise<ShownRefusal | AdministrationRefusal> {
  const found = await listRefusals(context, { organization, filter: { request: id }, limit: 1 });
  if (isRefusal(found)) return found;
  return found[0] ?? refuseInput('unknown_refusal', 'No refused call with this id is kept.');
}

function shownRefusal({ id, answerId, key, run, code, scope, window, refusedAtMs }: RefusalEntry): ShownRefusal {
  return { id, answerId, key, run, code, scope, window, refusedAt: isoText(refusedAtMs) };
}
