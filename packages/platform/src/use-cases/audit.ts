/** The audit trail, newest first: who did what, when. Rules: Roles. It outlives the organization, without the organization's words. */
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { AuditEvent } from '@metergate/store/operation/audit-trail.ts';
import type { AuditAction } from '@metergate/store/engine/change.ts';
import { z } from 'zod';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { findFigures } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

/** Without an organization: a change of the whole product. */
export interface ShownAuditEvent extends Omit<AuditEvent, 'atMs'> {
  readonly at: string;
}

interface AuditListQuery {
  /** Id or name; for an erased organization only its id. Null: changes of the whole product, which belong to no organization. */
  readonly organization: string | null;
  /** Changes from this moment on. */
  readonly sinceMs?: number;
  /** Only changes of this subject: the id of a key, a cap or a member. */
  readonly subject?: string;
  /** Changes of this kind only. */
  readonly action?: AuditAction;
  /** Continues after this row of the list. */
  readonly after?: string;
  /** At most this many, newest first: 1 to 10,000. */
  readonly limit?: number;
}

export const auditLimit = { default: 100, max: 10_000 } as const;

const limitField = z.int({ error: `The limit must be a whole number from 1 to ${auditLimit.max}.` })
  .min(1, { error: 'The limit must be at least 1.' }).max(auditLimit.max, { error: `The limit must be at most ${auditLimit.max}.` });

/** Newest first, a page at a time. An erased organization is found by its id. Refuses `unknown_organization`, `invalid_cursor`, a wrong limit. */
export async function listAudit(context: UseCaseContext, query: AuditListQuery): Promise<ShownAuditEvent[] | AdministrationRefusal> {
  const limit = checkInput(limitField, query.limit ?? auditLimit.default);
  if (isRefusal(limit)) return limit;
  const { sinceMs, subject, action, after } = query;
  const organization = query.organization === null ? null : await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const events = await context.store.audit.list({
    organization: organization?.id ?? null, limit: limit.value,
    ...(sinceMs === undefined ? {} : { sinceMs }), ...(subject === undefined ? {} : { subject }), ...(action === undefined ? {} : { action }),
    ...(after === undefined ? {} : { after }),
  });
  return events === null ? refuseInput('invalid_cursor', 'This cursor does not belong to this list. Start again without it.') : events.map(shown);
}

function shown({ id, organization, atMs, actor, action, subject, detail }: AuditEvent): ShownAuditEvent {
  return { id, organization, at: isoText(atMs), actor, action, subject, detail };
}
