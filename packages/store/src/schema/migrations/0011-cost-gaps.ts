/**
 * What a call's cost lacks, its service tier, audio tokens and calls of tools, and in every sum how many calls have such a gap.
 * Calls that were kept before have none recorded: their gaps were not known.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const costGaps: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  for (const [name, type] of [
    ['cost_gaps', text], ['service_tier', text], ['audio_input_tokens', whole], ['audio_output_tokens', whole], ['tool_calls', text],
  ] as const) {
    await transaction.schema.alterTable('call_record').addColumn(name, type).execute();
  }
  for (const table of ['spend_sum', 'usage_sum', 'run']) {
    await transaction.schema.alterTable(table).addColumn('gap_calls', whole, (column) => column.notNull().defaultTo(0)).execute();
  }
};
