/**
 * Numbers for attributions, the values that many calls share: key, project, model, wire and endpoint. A number is assigned in the transaction
 * that first needs it, and the shipper caches it once that has committed. Names are bounded as in every sum of usage.
 */
import { attributionDimensions, subjectOf, type AttributionDimension, type UsageRecord } from '@metergate/core/report/usage-sum.ts';
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import { insertRows, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';

export type AttributedCall = Pick<UsageRecord, 'organization' | AttributionDimension>;

/** The attributions of one organization that a report is about: each of these has just this name. */
export type AttributionFilter = { readonly [D in AttributionDimension]?: string };

type Names = { readonly [D in AttributionDimension | 'organization']: string };

/** The number of each call's attribution, in the order of the calls, and those that were not remembered yet. */
export interface NumberedCalls {
  readonly numbers: readonly number[];
  readonly found: ReadonlyMap<string, number>;
}

/** Finds and gives numbers, for one shipper. */
export interface AttributionBook {
  /** Nothing is remembered before `remember`. */
  number(transaction: Transaction<Schema>, calls: readonly AttributedCall[]): Promise<NumberedCalls>;
  /** The transaction has committed: what it found and gave is so. */
  remember(numbered: NumberedCalls): void;
  /** It has not, or the store may be another one: everything is read again. */
  forget(): void;
}

const rememberedMax = 50_000;
/** Names hold no NUL. */
const separator = '\0';

export function createAttributionBook(engine: Engine['kind']): AttributionBook {
  const known = new Map<string, number>();
  return {
    async number(transaction, calls) {
      const texts = calls.map(textOf);
      const found = new Map<string, number>();
      const wanted = new Map<string, Names>();
      for (const [index, text] of texts.entries()) if (!known.has(text)) wanted.set(text, namesOf(calls[index]!));
      if (wanted.size > 0) {
        await look(transaction, wanted, found);
        const fresh = [...wanted].filter(([text]) => !found.has(text)).sort(([one], [other]) => (one < other ? -1 : 1));
        if (fresh.length > 0) {
          await insertRows(engine, transaction, insert, fresh.map(([, names]) => names));
          await look(transaction, new Map(fresh), found);
        }
      }
      return { numbers: texts.map((text) => known.get(text) ?? found.get(text)!), found };
    },
    remember({ found }) {
      if (known.size + found.size > rememberedMax) known.clear();
      for (const [text, number] of found) known.set(text, number);
    },
    forget: () => known.clear(),
  };
}

const columns = ['organization', ...attributionDimensions] as const;

const insert: BulkInsert<Names> = {
  table: 'attribution',
  columns: columns.map((name) => ({ name, kind: 'text', value: (names: Names) => names[name] })),
  after: 'on conflict do nothing',
};

const lookedUpAtOnce = 100;

async function look(transaction: Transaction<Schema>, wanted: ReadonlyMap<string, Names>, found: Map<string, number>): Promise<void> {
  const all = [...wanted.values()];
  for (let from = 0; from < all.length; from += lookedUpAtOnce) {
    const tuples = all.slice(from, from + lookedUpAtOnce).map((names) => sql`(${sql.join(columns.map((name) => names[name]))})`);
    const { rows } = await sql<Names & { readonly id: bigint }>`select id, ${sql.join(columns.map((name) => sql.ref(name)))} from attribution
      where (${sql.join(columns.map((name) => sql.ref(name)))}) in (values ${sql.join(tuples)})`.execute(transaction);
    for (const { id, ...names } of rows) found.set(columns.map((name) => names[name]).join(separator), Number(id));
  }
}

function namesOf(call: AttributedCall): Names {
  const names = Object.fromEntries(attributionDimensions.map((name) => [name, subjectOf(call[name])])) as { [D in AttributionDimension]: string };
  return { organization: call.organization, ...names };
}

function textOf(call: AttributedCall): string {
  // Spelled out: this runs for every call that is kept.
  return `${call.organization}${separator}${subjectOf(call.model)}${separator}${call.key}${separator}${subjectOf(call.project)}${separator}${
    call.wire}${separator}${call.endpoint}`;
}

/** The numbers of the attributions of `organization` that fit, as a subquery. */
export function attributionsThatFit(organization: string, filter: AttributionFilter): RawBuilder<unknown> {
  const conditions = Object.entries(filter).map(([name, value]) => sql` and ${sql.ref(name)} = ${subjectOf(value)}`);
  return sql`select id from attribution where organization = ${organization}${sql.join(conditions, sql``)}`;
}

/** Those attributions with their names. */
export async function namedAttributions(
  db: Kysely<Schema>, organization: string, filter: AttributionFilter,
): Promise<ReadonlyMap<bigint, { readonly [D in AttributionDimension]: string }>> {
  let query = db.selectFrom('attribution').select(['id', ...attributionDimensions]).where('organization', '=', organization);
  for (const name of attributionDimensions) {
    const value = filter[name];
    if (value !== undefined) query = query.where(name, '=', subjectOf(value));
  }
  return new Map((await query.execute()).map((row) => [row.id, row]));
}
