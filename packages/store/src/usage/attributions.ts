/**
 * Numbers for attributions, the values that many calls share: key, project, model, wire and endpoint. A number is assigned in the transaction
 * that first needs it, and the shipper caches it once that has committed. Names are bounded as in every sum of usage.
 */
import { attributionDimensions, subjectOf, type AttributionDimension, type UsageRecord } from '@metergate/core/report/usage-sum.ts';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { arraysFrom, arraysTable, type BulkColumn } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import type { Schema } from '../schema/schema.ts';

type AttributedCall = Pick<UsageRecord, 'organization' | AttributionDimension>;

/** Selects the attributions for a report: those with exactly these names. */
type AttributionFilter = { readonly [D in AttributionDimension]?: string };

type Names = { readonly [D in AttributionDimension | 'organization']: string };

/** The number of each call's attribution, in the order of the calls, and the numbers that were not cached yet. */
export interface NumberedCalls {
  readonly numbers: readonly number[];
  readonly found: ReadonlyMap<string, number>;
}

/** Finds and assigns numbers, for one shipper. */
export interface AttributionBook {
  /**
   * Reads numbers that are not cached, and assigns missing ones. An erased organization gets no new words: a call with such words has
   * the number 0. Nothing is cached before `remember`.
   */
  number(send: Send, calls: readonly AttributedCall[]): Promise<NumberedCalls>;
  /** Call it when the transaction has committed: caches what it found and assigned. */
  remember(numbered: NumberedCalls): void;
  /** Call it if it has not, or if the store may have changed: everything is read again. */
  forget(): void;
}

const rememberedMax = 50_000;
/** Names hold no NUL. */
const separator = '\0';

/** Caches the numbers it has seen, up to a bound. */
export function createAttributionBook(engine: Engine['kind']): AttributionBook {
  const known = new Map<string, number>();
  return {
    async number(send, calls) {
      const texts = calls.map(textOf);
      const wanted = new Map<string, Names>();
      for (const [index, text] of texts.entries()) if (!known.has(text)) wanted.set(text, namesOf(calls[index]!));
      const found = await give(engine, send, [...wanted].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, names]) => names));
      return { numbers: texts.map((text) => known.get(text) ?? found.get(text) ?? 0), found };
    },
    remember({ found }) {
      if (known.size + found.size > rememberedMax) known.clear();
      for (const [text, number] of found) known.set(text, number);
    },
    forget: () => known.clear(),
  };
}

const columns = ['organization', ...attributionDimensions] as const;
const bulkColumns = columns.map((name): BulkColumn<Names> => ({ name, kind: 'text', value: (names) => names[name] }));

const isSame = columns.map((name) => `a.${name} = v.${name}`).join(' and ');
const givenNames = columns.map((name) => `v.${name}`).join(', ');

/**
 * In the order of their index, so that two shippers never deadlock. An erased organization gets no new words. PostgreSQL gets all at once;
 * SQLite is asked for each separately, which takes it half as long. Joins, because Citus takes no subquery that looks at the rows given.
 */
const giveAll = `insert into attribution (${columns.join(', ')}) select ${givenNames} from ${arraysTable(bulkColumns)}
  left join attribution as a on ${isSame} left join erased_organization as e on e.organization = v.organization
  where a.id is null and (v.project = '' and v.model = '' or e.organization is null)
  order by ${givenNames} on conflict do nothing`;
const lookForAll = `select a.id, ${givenNames} from ${arraysTable(bulkColumns)} join attribution as a on ${isSame}`;
const placeOf = (name: (typeof columns)[number]): string => `?${columns.indexOf(name) + 1}`;
const giveOne = `insert into attribution (${columns.join(', ')}) select ${columns.map(placeOf).join(', ')}
  where ${placeOf('project')} = '' and ${placeOf('model')} = ''
  or not exists (select 1 from erased_organization where organization = ${placeOf('organization')}) on conflict do nothing`;
const lookForOne = `select id from attribution where ${columns.map((name) => `${name} = ${placeOf(name)}`).join(' and ')}`;

/** The numbers of these, by their texts. */
async function give(engine: Engine['kind'], send: Send, wanted: readonly Names[]): Promise<ReadonlyMap<string, number>> {
  if (wanted.length === 0) return new Map();
  if (engine === 'sqlite') return giveEach(send, wanted);
  const values = arraysFrom(bulkColumns, wanted);
  void send(giveAll, values);
  const rows = await send<Names & { readonly id: bigint }>(lookForAll, values);
  return new Map(rows.map(({ id, ...names }) => [columns.map((name) => names[name]).join(separator), Number(id)]));
}

/** Looks behind the insert: `returning` would have SQLite make a table in memory for each row, which takes several times as long. */
async function giveEach(send: Send, wanted: readonly Names[]): Promise<ReadonlyMap<string, number>> {
  const values = wanted.map((names) => columns.map((name) => names[name]));
  for (const each of values) void send(giveOne, each);
  const found = await Promise.all(values.map((each) => send<{ readonly id: bigint }>(lookForOne, each)));
  return new Map(found.flatMap(([row], index) => (row === undefined ? [] : [[values[index]!.join(separator), Number(row.id)]])));
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

/** The numbers of the organization's attributions that match the filter, as a subquery. */
export function attributionsThatFit(organization: string, filter: AttributionFilter): RawBuilder<unknown> {
  const conditions = Object.entries(filter).map(([name, value]) => sql` and ${sql.ref(name)} = ${subjectOf(value)}`);
  return sql`select id from attribution where organization = ${organization}${sql.join(conditions, sql``)}`;
}

/** Those attributions with their names. */
export async function namedAttributions(
  db: Kysely<Schema>, organization: string, filter: AttributionFilter,
): Promise<ReadonlyMap<number, { readonly [D in AttributionDimension]: string }>> {
  let query = db.selectFrom('attribution').select(['id', ...attributionDimensions]).where('organization', '=', organization);
  for (const name of attributionDimensions) {
    const value = filter[name];
    if (value !== undefined) query = query.where(name, '=', subjectOf(value));
  }
  return new Map((await query.execute()).map((row) => [Number(row.id), row]));
}
