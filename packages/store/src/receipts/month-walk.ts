/** The calls that a closing adds up, in slices beside everything else: only the fields that its sums need. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { MonthRecord } from '@metergate/core/books/month/month-sums.ts';
import { sql, type Selectable } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { costGapsOf } from '../schema/cost-gaps-column.ts';
import { numberOrNull, type CallRecordTable } from '../schema/schema.ts';

interface MonthSpan {
  readonly organization: OrganizationId;
  /** Calls that started in `[fromMs, toMs)`. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only records up to this place of the chain, and those older than the chain. */
  readonly last: number;
}

export interface MonthWalk {
  /** All of them, in pages. */
  calls(span: MonthSpan): AsyncGenerator<readonly MonthRecord[], void, undefined>;
  /** Those whose place in the chain is after `after`. */
  callsAfter(span: MonthSpan & { readonly after: number }): AsyncGenerator<readonly MonthRecord[], void, undefined>;
}

const rowsAtOnce = 2_000;

const columns = [
  'sequence', 'receipt_sequence', 'key', 'project', 'labels', 'model', 'requested_model', 'wire', 'endpoint', 'started_at_ms', 'input_tokens',
  'cached_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens', 'usage', 'cost_nano', 'cost_gaps', 'cost_source', 'cache_savings_nano',
] as const;

export function monthWalkIn({ engine }: StoreContext): MonthWalk {
  return {
    async *calls({ organization, fromMs, toMs, last }) {
      for (let after = { startedAtMs: BigInt(fromMs), sequence: -1n }; ;) {
        const rows = await engine.read((db) => db.selectFrom('call_record').select(columns)
          .where('organization', '=', organization).where('started_at_ms', '<', BigInt(toMs))
          .where(sql<boolean>`started_at_ms >= ${after.startedAtMs}
            and not (started_at_ms = ${after.startedAtMs} and sequence <= ${after.sequence})`)
          .orderBy('started_at_ms').orderBy('sequence').limit(rowsAtOnce).execute());
        const end = rows.at(-1);
        if (end === undefined) return;
        yield rows.filter(({ receipt_sequence: place }) => place === null || place <= BigInt(last)).map((row) => recordOf(organization, row));
        if (rows.length < rowsAtOnce) return;
        after = { startedAtMs: end.started_at_ms, sequence: end.sequence };
      }
    },
    async *callsAfter({ organization, fromMs, toMs, last, after }) {
      for (let place = BigInt(after); ;) {
        const rows = await engine.read((db) => db.selectFrom('call_record').select(columns)
          .where('organization', '=', organization).where('receipt_sequence', '>', place).where('receipt_sequence', '<=', BigInt(last))
          .orderBy('receipt_sequence').limit(rowsAtOnce).execute());
        const end = rows.at(-1)?.receipt_sequence ?? null;
        if (end === null) return;
        yield rows.filter(({ started_at_ms: ms }) => ms >= BigInt(fromMs) && ms < BigInt(toMs)).map((row) => recordOf(organization, row));
        if (rows.length < rowsAtOnce) return;
        place = end;
      }
    },
  };
}

type Row = Pick<Selectable<CallRecordTable>, typeof columns[number]>;

function recordOf(organization: OrganizationId, row: Row): MonthRecord {
  return {
    organization, key: row.key as CallRecord['key'], project: row.project, labels: row.labels === null ? [] : JSON.parse(row.labels) as string[],
    model: row.model, requestedModel: row.requested_model, wire: row.wire as CallRecord['wire'], endpoint: row.endpoint as CallRecord['endpoint'],
    startedAtMs: Number(row.started_at_ms), inputTokens: numberOrNull(row.input_tokens), cachedTokens: numberOrNull(row.cached_tokens),
    cacheWriteTokens: numberOrNull(row.cache_write_tokens), outputTokens: numberOrNull(row.output_tokens),
    reasoningTokens: numberOrNull(row.reasoning_tokens), usage: row.usage as CallRecord['usage'], cost: row.cost_nano as NanoDollars | null,
    costGaps: costGapsOf(row.cost_gaps), costSource: row.cost_source as CallRecord['costSource'],
    cacheSavings: row.cache_savings_nano as NanoDollars | null,
  };
}
