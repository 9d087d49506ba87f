/** Thresholds of caps: the percentages of a cap's limit at which webhooks are notified. One list for each cap; none unless set. */
import { idPrefix, newId, type OrganizationId } from '@metergate/core/id.ts';
import type { Selectable } from 'kysely';
import { unknownCap } from '../settings/caps.ts';
import type { ChangeCheck } from '../settings/change-check.ts';
import { lockOrganization } from '../settings/organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { CapAlertTable } from '../schema/alert-schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface CapAlert {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly cap: string;
  /** Percent of the limit, upwards, each once. */
  readonly at: readonly number[];
}

export interface CapAlerts {
  /**
   * In place of the thresholds that the cap had; keeps the id. Refuses `unknown_cap`, and what `check` refuses; it gets those that are there, or
   * null.
   */
  set(alert: Omit<CapAlert, 'id'>, check?: ChangeCheck<CapAlert | null>): Promise<CapAlert | StoreRefusal>;
  list(organization: OrganizationId): Promise<CapAlert[]>;
  /** By its own id or its cap's. `within`: of this organization only. Refuses `unknown_alert`. */
  remove(id: string, within?: OrganizationId): Promise<CapAlert | StoreRefusal>;
}

export function capAlertsIn(context: StoreContext): CapAlerts {
  const { engine } = context;
  return {
    set: ({ organization, cap, at }, check) => engine.write<CapAlert | StoreRefusal>(async (transaction) => {
      // Whatever is looked at below stays so: setting and removing caps begins with the same row.
      await lockOrganization(engine.kind, transaction, organization);
      const known = cap.includes('\0') ? undefined : await transaction.selectFrom('cap').select('id').where('id', '=', cap)
        .where('organization', '=', organization).executeTakeFirst();
      if (known === undefined) return unknownCap();
      const there = check === undefined ? undefined
        : await transaction.selectFrom('cap_alert').selectAll().where('cap', '=', cap).executeTakeFirst();
      const refusal = check?.(there === undefined ? null : alertOf(there)) ?? null;
      if (refusal !== null) return refusal;
      const row = await transaction.insertInto('cap_alert')
        .values({ id: newId(idPrefix.alert, context.randomBytes), organization, cap, at: JSON.stringify(at) })
        .onConflict((conflict) => conflict.column('cap').doUpdateSet({ at: JSON.stringify(at) })).returningAll().executeTakeFirstOrThrow();
      return alertOf(row);
    }, (alert) => ({ action: 'setAlert', organization, subject: alert.cap })),
    list: (organization) => engine.read(async (db) =>
      (await db.selectFrom('cap_alert as a').innerJoin('cap as c', 'c.id', 'a.cap').selectAll('a').where('a.organization', '=', organization)
        .orderBy('c.made').execute()).map(alertOf)),
    remove: (id, within) => engine.write<CapAlert | StoreRefusal>(async (transaction) => {
      const row = id.includes('\0') ? undefined : await transaction.selectFrom('cap_alert').selectAll()
        .where((where) => where.or([where('id', '=', id), where('cap', '=', id)])).executeTakeFirst();
      if (row === undefined || (within !== undefined && row.organization !== within)) {
        return unknownAlert();
      }
      await lockOrganization(engine.kind, transaction, row.organization);
      const removed = await transaction.deleteFrom('cap_alert').where('id', '=', row.id).returningAll().executeTakeFirst();
      return removed === undefined ? unknownAlert() : alertOf(removed);
    }, (alert) => ({ action: 'removeAlert', organization: alert.organization, subject: alert.cap })),
  };
}

const unknownAlert = (): StoreRefusal => refuse('unknown_alert', 'There is no alert with this id.');

function alertOf({ id, organization, cap, at }: Selectable<CapAlertTable>): CapAlert {
  return { id, organization: organization as OrganizationId, cap, at: JSON.parse(at) as number[] };
}
