/** The rules by which an organization's months are allocated: one JSON text, always replaced as a whole. It is validated before it gets here. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { isRefusal, type StoreRefusal } from '../engine/refusal.ts';
import type { StoreContext } from '../sealing/context.ts';
import { sendingIn } from '../engine/send.ts';
import type { ChangeCheck } from './change-check.ts';
import { lockOrganization } from './organizations.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';

export interface StoredAllocation {
  /** Null: there are none. */
  find(organization: OrganizationId): Promise<string | null>;
  /** Null removes them. Setting what is set leaves no audit row. `check` refuses; it gets the rules that are there, or null. */
  set(organization: OrganizationId, json: string | null, check?: ChangeCheck<string | null>): Promise<StoreRefusal | null>;
}

export function allocationIn({ engine }: StoreContext): StoredAllocation {
  return {
    find: (organization) => engine.read(async (db) =>
      (await db.selectFrom('allocation_rules').select('json').where('organization', '=', organization).executeTakeFirst())?.json ?? null),
    async set(organization, json, check) {
      const changed = await engine.write<StoreRefusal | boolean>(async (transaction) => {
        const { send, all } = sendingIn(transaction);
        holdOffErasures(engine.kind, send);
        await all();
        // An erasure takes the two in this order. Two people who set the rules at the same time are checked one after the other.
        const isThere = await lockOrganization(engine.kind, transaction, organization);
        if (!isThere || (await erasedAmong(engine.kind, send, [organization])).size > 0) return false;
        const there = await transaction.selectFrom('allocation_rules').select('json').where('organization', '=', organization).executeTakeFirst();
        const refusal = check?.(there?.json ?? null) ?? null;
        if (refusal !== null) return refusal;
        if ((there?.json ?? null) === json) return false;
        if (json === null) await transaction.deleteFrom('allocation_rules').where('organization', '=', organization).execute();
        else {
          await transaction.insertInto('allocation_rules').values({ organization, json })
            .onConflict((conflict) => conflict.column('organization').doUpdateSet({ json })).execute();
        }
        return true;
      }, (done) => (done === true ? { action: json === null ? 'removeAllocation' : 'setAllocation', organization, subject: organization } : null));
      return isRefusal(changed) ? changed : null;
    },
  };
}
