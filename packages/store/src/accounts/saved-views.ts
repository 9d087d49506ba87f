/** Views that people saved by name, each person's own in each organization. A view is the query of a page's address. See docs/decisions/0093. */
import { idPrefix, newId, type OrganizationId } from '@metergate/core/id.ts';
import type { StoreContext } from '../sealing/context.ts';
import { nameRefusal } from '../engine/names.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';

export interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly savedAtMs: number;
}

/** Whose views. */
export interface ViewOwner {
  readonly organization: OrganizationId;
  readonly person: string;
}

export interface SavedViews {
  /** By name. */
  list(owner: ViewOwner): Promise<SavedView[]>;
  /** Replaces the view with the same name. Refuses `invalid_name`, `too_many_views`, and `forbidden` for a former member. */
  save(owner: ViewOwner, view: Pick<SavedView, 'name' | 'query'>): Promise<SavedView | StoreRefusal>;
  /** Refuses `unknown_view`. */
  remove(owner: ViewOwner, id: string): Promise<{ readonly id: string } | StoreRefusal>;
}

/** The most views of one person in one organization. */
export const viewsMax = 100;

export function savedViewsIn({ background: engine, clock, randomBytes }: StoreContext): SavedViews {
  return {
    list: ({ organization, person }) => engine.read(async (db) => (await db.selectFrom('saved_view').selectAll()
      .where('organization', '=', organization).where('person', '=', person).orderBy('name').execute())
      .map(({ id, name, query, saved_at_ms: savedAtMs }) => ({ id, name, query, savedAtMs: Number(savedAtMs) }))),
    save: async ({ organization, person }, { name, query }) => nameRefusal("A view's name", name) ?? engine.write<SavedView | StoreRefusal>(
      async (transaction) => {
        // Locked, so that no view outlives its owner or the organization, and saves by one person take turns.
        const membership = transaction.selectFrom('membership').select('person')
          .where('organization', '=', organization).where('person', '=', person);
        if (await (engine.kind === 'postgres' ? membership.forUpdate() : membership).executeTakeFirst() === undefined) {
          return refuse('forbidden', 'Only members of an organization can save views.');
        }
        const own = await transaction.selectFrom('saved_view').select(['id', 'name'])
          .where('organization', '=', organization).where('person', '=', person).execute();
        const former = own.find((view) => view.name === name);
        if (former === undefined && own.length >= viewsMax) {
          return refuse('too_many_views', `A person keeps at most ${viewsMax} views. Remove one first.`);
        }
        const savedAtMs = Math.floor(clock());
        // A view saved at the same moment under this name keeps its id.
        const { id } = await transaction.insertInto('saved_view')
          .values({ id: former?.id ?? newId(idPrefix.view, randomBytes), organization, person, name, query, saved_at_ms: savedAtMs })
          .onConflict((conflict) => conflict.columns(['organization', 'person', 'name']).doUpdateSet({ query, saved_at_ms: savedAtMs }))
          .returning('id').executeTakeFirstOrThrow();
        return { id, name, query, savedAtMs };
      }),
    remove: ({ organization, person }, id) => engine.write<{ readonly id: string } | StoreRefusal>(async (transaction) => {
      const removed = id.includes('\0') ? undefined : await transaction.deleteFrom('saved_view')
        .where('id', '=', id).where('organization', '=', organization).where('person', '=', person).returning('id').executeTakeFirst();
      return removed === undefined ? refuse('unknown_view', 'There is no saved view with this id.') : { id: removed.id };
    }),
  };
}
