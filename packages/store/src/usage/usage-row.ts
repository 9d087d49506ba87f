/** The part of a call record's row that sums of usage are made of ⇄ what they count. */
import type { UsageRecord } from '@metergate/core/report/usage-sum.ts';
import type { Selectable } from 'kysely';
import { costGapsOf } from '../schema/cost-gaps-column.ts';
import { numberOrNull, type CallRecordTable } from '../schema/schema.ts';

export const usageColumns = [
  'key', 'project', 'labels', 'run', 'model', 'started_at_ms', 'input_tokens', 'output_tokens', 'usage', 'cost_nano', 'cost_gaps', 'cost_source',
] as const satisfies readonly (keyof CallRecordTable)[];

export type UsageRow = Pick<Selectable<CallRecordTable>, (typeof usageColumns)[number]>;

export function usageRecordOf(organization: string, row: UsageRow): UsageRecord {
  return {
    organization: organization as UsageRecord['organization'],
    key: row.key as UsageRecord['key'],
    project: row.project,
    labels: row.labels === null ? [] : (JSON.parse(row.labels) as string[]),
    run: row.run,
    model: row.model,
    startedAtMs: Number(row.started_at_ms),
    inputTokens: numberOrNull(row.input_tokens),
    outputTokens: numberOrNull(row.output_tokens),
    usage: row.usage as UsageRecord['usage'],
    cost: row.cost_nano as UsageRecord['cost'],
    costGaps: costGapsOf(row.cost_gaps),
    costSource: row.cost_source as UsageRecord['costSource'],
  };
}
