/** The audit trail of an organization, newest first: who did what, when. Design 5, Roles. */
import type { AuditEvent } from '@metergate/store/audit-trail.ts';
import type { Ground } from './ground.ts';
import { findOrganization } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

export interface ShownAuditEvent {
  readonly id: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string | null };
  readonly action: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export async function listAudit(
  ground: Ground, { organization: idOrName, after, limit }: { readonly organization: string; readonly after?: string; readonly limit: number },
): Promise<ShownAuditEvent[] | AdministrationRefusal> {
  const organization = await findOrganization(ground, idOrName);
  if (isRefusal(organization)) return organization;
  const events = await ground.store.audit.list({ organization: organization.id, limit, ...(after === undefined ? {} : { after }) });
  return events === null ? refuseInput('invalid_cursor', 'The cursor is not one that this list gave. Begin again without it.') : events.map(shown);
}

function shown({ id, atMs, actor, action, subject, detail }: AuditEvent): ShownAuditEvent {
  return { id, at: new Date(atMs).toISOString(), actor, action, subject, detail };
}
