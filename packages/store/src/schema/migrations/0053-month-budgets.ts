/** Budgets of months, for an organization, a project, a person's keys or a label. Decision 148. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const monthBudgets: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  let table = transaction.schema.createTable('month_budget')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('month_ms', whole, (column) => column.notNull())
    .addColumn('amount_nano', whole, (column) => column.notNull())
    .addColumn('at', text, (column) => column.notNull())
    .addColumn('told', text)
    .addUniqueConstraint('month_budget_once', ['organization', 'scope', 'subject', 'month_ms']);
  if (engine === 'sqlite') table = table.modifyEnd(sql`strict`);
  await table.execute();
};
