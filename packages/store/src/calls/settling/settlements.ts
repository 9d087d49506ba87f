/** Settlements in the order in which they were kept, for a node that is alone with its store and holds what was spent in memory. */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { PersonId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import { sql } from 'kysely';
import { whileUnchanged } from '../../engine/while-unchanged.ts';
import type { StoreContext } from '../../sealing/context.ts';
import type { SpentAfter, SpentBesideNews } from '../../spend/spent-beside.ts';

/** Read at once. */
const atOnce = 500;

interface Row {
  readonly settled_number: bigint | number;
  readonly organization: string;
  readonly key: string;
  readonly run: string | null;
  readonly labels: string | null;
  readonly person: string | null;
  readonly started_at_ms: bigint;
  readonly cost_nano: bigint | null;
}

export function settlementsIn({ engine }: Pick<StoreContext, 'engine'>): SpentBesideNews {
  const again = whileUnchanged<SpentAfter>(engine);
  return {
    latest: () => engine.read(async (db) => Number((await sql<{ latest: bigint | number }>`
      select coalesce(max(settled_number), 0) as latest from deferred_work`.execute(db)).rows[0]!.latest)),
    after: (number) => again(number, () => engine.read(async (db) => {
      const { rows } = await sql<Row>`select w.settled_number, c.organization, c.key, c.run, c.labels, c.started_at_ms, c.cost_nano,
          (select person from service_key where id = c.key) as person
        from deferred_work as w join call_record as c
          on substr(c.id, 29, 8) = substr(w.settled_by, 29, 8) and c.id = w.settled_by and c.organization = w.organization
        where w.settled_number > ${number} order by w.settled_number limit ${atOnce}`.execute(db);
      return {
        spent: rows.map((row) => ({
          organization: row.organization as CallRecord['organization'], key: row.key as CallRecord['key'], run: row.run,
          labels: row.labels === null ? [] : JSON.parse(row.labels) as string[], person: row.person as PersonId | null,
          startedAtMs: Number(row.started_at_ms), cost: row.cost_nano as NanoDollars | null,
        })),
        through: rows.length === 0 ? number : Number(rows.at(-1)!.settled_number),
      };
    })),
  };
}
