/**
 * Our store as the authentication library's database. The library's models are the store's account tables, and it never creates or changes a
 * schema.
 */
import { createAdapterFactory } from 'better-auth/adapters';
import type { AccountCondition, AccountRow, AccountRows } from '@metergate/store/accounts/account-rows.ts';

export function accountAdapter(rows: AccountRows) {
  const first = async (model: string, where: readonly AccountCondition[]): Promise<AccountRow | null> =>
    (await rows.find({ model, where, limit: 1 }))[0] ?? null;
  return createAdapterFactory({
    config: { adapterId: 'metergate-store', supportsDates: true, supportsBooleans: true, supportsNumericIds: false, transaction: false },
    adapter: () => ({
      create: async ({ model, data }) => (await rows.create(model, data)) as typeof data,
      findOne: async <Row>({ model, where }: { model: string; where: AccountCondition[] }) => (await first(model, where)) as Row | null,
      findMany: async <Row>({ model, where = [], limit, offset, sortBy }: {
        model: string; where?: AccountCondition[] | undefined; limit: number; offset?: number | undefined;
        sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined;
      }) => (await rows.find({
        model, where, limit, ...(offset === undefined ? {} : { offset }), ...(sortBy === undefined ? {} : { sortBy }),
      })) as Row[],
      update: async <Row>({ model, where, update }: { model: string; where: AccountCondition[]; update: Row }) => {
        await rows.update(model, where, update as AccountRow);
        return (await first(model, where)) as Row | null;
      },
      updateMany: ({ model, where, update }) => rows.update(model, where, update),
      delete: async ({ model, where }) => {
        await rows.delete(model, where);
      },
      deleteMany: ({ model, where }) => rows.delete(model, where),
      count: ({ model, where = [] }) => rows.count(model, where),
    }),
  });
}
