/** The rules by which an organization's months are allocated: one JSON text, always replaced as a whole. It is validated before it gets here. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { StoreContext } from '../sealing/context.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';

export interface StoredAllocation {
  /** Null: there are none. */
  find(organization: OrganizationId): Promise<string | null>;
  /** Null removes them. Setting what is set leaves no audit row. */
  set(organization: OrganizationId, json: string | null): Promise<void>;
}

export function allocationIn({ engine }: StoreContext): StoredAllocation {
  return {
    find: (organization) => engine.read(async (db) =>
      (await db.selectFrom('allocation_rules').select('json').where('organization', '=', organization).executeTakeFirst())?.json ?? null),
    async set(organization, json) {
      await engine.write<boolean>(async (transaction) => {
        const { send } = sendingIn(transaction);
        holdOffErasures(engine.kind, send);
        if ((await erasedAmong(engine.kind, send, [organization])).size > 0) return false;
        const there = await transaction.selectFrom('allocation_rules').select('json').where('organization', '=', organization).executeTakeFirst();
        if ((there?.json ?? null) === json) return false;
        if (json === null) await transaction.deleteFrom('allocation_rules').where('organization', '=', organization).execute();
        else {
          await transaction.insertInto('allocation_rules').values({ organization, json })
            .onConflict((conflict) => conflict.column('organization').doUpdateSet({ json })).execute();
        }
        return true;
      }, (changed) => (changed ? { action: json === null ? 'removeAllocation' : 'setAllocation', organization, subject: organization } : null));
    },
  };
}
