/**
 * Call records a page at a time, newest first, under any filters: from one record on to the older ones. A position is a record of the asker's
 * own, so that it reveals nothing about others. The sums say which days have such calls, and how many. A day with many is walked by time, a
 * day with few by attribution. So a page costs about what it shows, however rare its calls are.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import type { CallOutcome, CallRecord } from '@metergate/core/record/call-record.ts';
import type { CostLack, StatusFilter } from '@metergate/core/report/call-search.ts';
import { subjectOf } from '@metergate/core/report/usage-sum.ts';
import { dayAfter } from '@metergate/core/time/utc-day.ts';
import type { UsageState } from '@metergate/core/usage/reading.ts';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { failedCalls, lackingCost } from '../schema/call-searches.ts';
import type { CallRecordTable } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import type { Engine } from '../engine/engine.ts';
import { leadsTo } from '../engine/upstream-in-path.ts';
import { attributionsThatFit } from '../usage/attributions.ts';
import { hasLabel } from '../usage/record-parts.ts';
import { attributionFilter } from '../usage/usage-query.ts';
import type { UsageFilter } from '../usage/usage-query.ts';
import { hasId } from './call-by-id.ts';
import { callRecordOf } from './call-row.ts';

/** Calls of just these names, ends, statuses and states of usage and cost. */
export interface CallFilter extends UsageFilter {
  /** Responses of this WebSocket connection: the id of the call that opened it. */
  readonly connection?: string | undefined;
  readonly outcome?: CallOutcome | undefined;
  readonly usage?: UsageState | undefined;
  readonly status?: StatusFilter | undefined;
  readonly lacks?: CostLack | undefined;
}

/** A record's place in the list of its organization. */
export interface CallPlace {
  readonly startedAtMs: number;
  readonly id: string;
}

export interface CallPageQuery {
  readonly organization: OrganizationId;
  readonly filter?: CallFilter;
  /** From this moment of start on. */
  readonly sinceMs?: number;
  /** Up to this moment of start, itself excluded. */
  readonly untilMs?: number;
  /** At most this many, newest first. */
  readonly limit: number;
  readonly after?: CallPlace;
}

export interface CallPages {
  /**
   * The records that come after `after`; null if the organization has no such record. None come after one that was removed for its age: those
   * before it have gone too, or are about to.
   */
  page(query: CallPageQuery): Promise<CallRecord[] | null>;
  /** The id of the key that made the run's first call; null if no call of it is kept, or its first ones are gone for their age. */
  beganBy(organization: OrganizationId, run: string): Promise<ServiceKeyId | null>;
  /** One call; null if the organization, or nobody, has such a call. */
  find(organization: OrganizationId | null, id: string): Promise<CallRecord | null>;
}

type Row = Selectable<CallRecordTable>;

/** What every statement of a page has in common. */
interface Asked {
  readonly organization: string;
  readonly filter: CallFilter;
  readonly since: bigint;
  readonly until: bigint;
  /** The place after which it continues. */
  readonly after: { readonly startedAtMs: bigint; readonly sequence: bigint } | null;
}

const firstMs = -8_640_000_000_000_000n;
const lastMs = 8_640_000_000_000_000n;
/** A day is walked by time where one in this many of its calls fits. */
const denseShare = 50n;

async function beganBy(engine: Engine, organization: OrganizationId, run: string): Promise<ServiceKeyId | null> {
  if (run.includes('\0')) return null;
  const known = await engine.read((db) => db.selectFrom('run as r').leftJoin('retention as t', 't.organization', 'r.organization')
    .select(['r.began_by', 'r.started_at_ms', 't.gone_before_ms']).where('r.organization', '=', organization).where('r.id', '=', run)
    .executeTakeFirst());
  if (known !== undefined && known.began_by !== null) return known.began_by as ServiceKeyId;
  // Its first record may have been removed, and the rest may be another key's.
  if (known !== undefined && known.gone_before_ms !== null && known.started_at_ms < known.gone_before_ms) return null;
  const row = await engine.read((db) => db.selectFrom('call_record').select('key').where('organization', '=', organization).where('run', '=', run)
    .orderBy('started_at_ms').orderBy('sequence').limit(1).executeTakeFirst());
  return (row?.key ?? null) as ServiceKeyId | null;
}

export function callPagesIn({ engine }: StoreContext): CallPages {
  const { kind } = engine;
  const run = (statement: RawBuilder<Row>): Promise<readonly Row[]> => engine.read(async (db) => (await statement.execute(db)).rows);

  /** By whatever index fits: over time, over runs, over rare ends and states, or over calls that failed or whose cost is not whole. */
  const direct = (asked: Asked, limit: number) => run(sql<Row>`select * from call_record
    where organization = ${asked.organization}${conditions(kind, asked)} order by started_at_ms desc, sequence desc limit ${limit}`);

  /** By attribution: the few calls of those that have such ones on that day, where a label is asked for in those hours. */
  const gathered = (asked: Asked, limit: number) => run(asked.filter.label === undefined
    ? sql<Row>`select * from call_record where attribution in (${attributionsThatFit(asked.organization, attributionFilter(asked))})
        ${conditions(kind, asked)} order by started_at_ms desc, sequence desc limit ${limit}`
    : sql<Row>`select call_record.* from (${hoursWithLabel(asked, asked.filter.label)}) as h cross join call_record
        where attribution = h.those and started_at_ms >= h.from_ms and started_at_ms < h.from_ms + 3600000
        ${conditions(kind, asked)} order by started_at_ms desc, sequence desc limit ${limit}`);

  async function byDays(asked: Asked, limit: number): Promise<Row[]> {
    const found: Row[] = [];
    for (const day of await daysWithCalls(asked)) {
      const start = BigInt(day.day_ms);
      const within = { ...asked, since: larger(asked.since, start), until: smaller(asked.until, BigInt(dayAfter(Number(start)))) };
      const dense = BigInt(day.calls) * denseShare >= BigInt(day.whole);
      found.push(...await (dense ? direct : gathered)(within, limit - found.length));
      if (found.length >= limit) break;
    }
    return found;
  }

  /** Days of the time with calls of these names, the latest first, with how many there are and how many of the organization's in all. */
  async function daysWithCalls(asked: Asked): Promise<readonly { readonly day_ms: bigint; readonly calls: bigint; readonly whole: bigint }[]> {
    const { organization, filter, since, until, after } = asked;
    const latest = after === null ? until - 1n : smaller(after.startedAtMs, until - 1n);
    const range = (column: string) => sql`${sql.ref(column)} > ${since - 86_400_000n} and ${sql.ref(column)} <= ${latest}`;
    const fits = attributionFilter({ filter });
    const named = Object.keys(fits).length > 0;
    const having = isLack(filter.lacks) ? sql`having sum(${sql.ref(lackColumns[filter.lacks])}) > 0` : sql``;
    const sums = filter.label !== undefined
      ? sql`select day_ms, sum(calls) as calls from word_sum where organization = ${organization} and dimension = 'label'
          and subject = ${subjectOf(filter.label)} and ${range('day_ms')}
          ${named ? sql`and attribution in (${attributionsThatFit(organization, fits)})` : sql``} group by day_ms ${having}`
      : named ? sql`select start_ms as day_ms, sum(calls) as calls from attribution_sum
          where attribution in (${attributionsThatFit(organization, fits)}) and span = 'day' and ${range('start_ms')} group by start_ms ${having}`
        : sql`select day_ms, sum(calls) as calls from usage_sum where organization = ${organization} and dimension = 'day' and subject = ''
            and ${range('day_ms')} group by day_ms ${having}`;
    return engine.read(async (db) => (await sql<{ day_ms: bigint; calls: bigint; whole: bigint }>`
      select s.day_ms as day_ms, cast(s.calls as bigint) as calls, u.calls as whole from (${sums}) as s
      join usage_sum as u on u.organization = ${organization} and u.dimension = 'day' and u.day_ms = s.day_ms and u.subject = ''
      order by s.day_ms desc`.execute(db)).rows);
  }

  return {
    beganBy: (organization, name) => beganBy(engine, organization, name),
    find: (organization, id) => engine.read(async (db) => {
      const row = await db.selectFrom('call_record').selectAll().where(hasId(id))
        .$if(organization !== null, (query) => query.where('organization', '=', organization!)).limit(1).executeTakeFirst();
      return row === undefined ? null : callRecordOf(row);
    }),
    async page({ organization, filter = {}, sinceMs, untilMs, limit, after }) {
      if ([filter.run, filter.label, filter.session, filter.connection].some((word) => word?.includes('\0') === true)) return [];
      const place = after === undefined ? null : await placeOf(engine, organization, after);
      if (place === undefined) return await isGone(engine, organization, after!.startedAtMs) ? [] : null;
      const asked: Asked = {
        organization, filter, after: place,
        since: sinceMs === undefined ? firstMs : BigInt(Math.ceil(sinceMs)), until: untilMs === undefined ? lastMs : BigInt(Math.ceil(untilMs)),
      };
      const { label, run: ofRun, session, connection } = filter;
      const isIndexed = ofRun !== undefined || session !== undefined || connection !== undefined;
      const summed = label !== undefined || isLack(filter.lacks) || Object.keys(attributionFilter({ filter })).length > 0;
      return (await (!isIndexed && summed ? byDays : direct)(asked, limit)).map(callRecordOf);
    },
  };
}

/** Undefined: the organization has no such record. */
async function placeOf(engine: Engine, organization: string, { startedAtMs, id }: CallPlace): Promise<Asked['after'] | undefined> {
  const found = await engine.read((db) => db.selectFrom('call_record').select('sequence').where('organization', '=', organization)
    .where('started_at_ms', '=', BigInt(startedAtMs)).where('id', '=', id).executeTakeFirst());
  return found === undefined ? undefined : { startedAtMs: BigInt(startedAtMs), sequence: found.sequence };
}

/** Whether records of that moment have been removed for their age. */
async function isGone(engine: Engine, organization: string, startedAtMs: number): Promise<boolean> {
  const kept = await engine.read((db) => db.selectFrom('retention').select('gone_before_ms').where('organization', '=', organization)
    .executeTakeFirst());
  return kept !== undefined && kept.gone_before_ms !== null && BigInt(startedAtMs) < kept.gone_before_ms;
}

function conditions(kind: 'sqlite' | 'postgres', { filter, since, until, after }: Asked): RawBuilder<unknown> {
  const { label, run, upstream, outcome, usage, status, lacks, ...names } = filter;
  // Rare calls have separate indexes. SQLite takes one only where the statement contains the index's own condition. PostgreSQL deduces
  // it; repeated, it would count twice in the estimate, and for so few calls a long page would read them all and sort them.
  const ofIndex: OfIndex = (condition) => (kind === 'sqlite' ? [sql.raw(condition)] : []);
  const all = [
    sql`started_at_ms >= ${since}`,
    // One upper bound, the lower: with both, the engines begin at the higher one and read every record down to the other. Plain bounds, since
    // PostgreSQL does not see that a comparison of pairs and the lower bound enclose a short time.
    ...(after === null || after.startedAtMs >= until ? [sql`started_at_ms < ${until}`]
      : [sql`started_at_ms <= ${after.startedAtMs}`, sql`not (started_at_ms = ${after.startedAtMs} and sequence >= ${after.sequence})`]),
    ...Object.entries(names).filter(([, value]) => value !== undefined).map(([name, value]) => sql`${sql.ref(name)} = ${value}`),
    ...(run === undefined ? [] : [sql`run = ${run}`]),
    ...(label === undefined ? [] : [hasLabel(kind, label)]),
    ...(upstream === undefined ? [] : [leadsTo(upstream, sql.ref('path'))]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`, ...(outcome === 'completed' ? [] : ofIndex("outcome <> 'completed'"))]),
    ...(usage === undefined ? [] : [sql`usage = ${usage}`, ...(usage === 'reported' ? [] : ofIndex("usage <> 'reported'"))]),
    ...(status === undefined ? [] : statusConditions(status, ofIndex)),
    ...(lacks === undefined ? [] : lacks === 'any' ? [sql.raw(`${lackingCost} and settled_by is null`)]
      : [...ofIndex(lackingCost), sql.raw(lackConditions[lacks])]),
  ];
  return sql.join(all.map((condition) => sql` and ${condition}`), sql``);
}

type OfIndex = (condition: string) => readonly RawBuilder<unknown>[];

function statusConditions(status: StatusFilter, ofIndex: OfIndex): readonly RawBuilder<unknown>[] {
  if (status === 'error') return [...ofIndex(failedCalls), sql`(outcome in ('failed', 'cut') or status >= 500 or status = 429)`];
  return [...(status.from < 400 ? [] : ofIndex(failedCalls)), sql`status >= ${status.from}`, sql`status < ${status.below}`];
}

const lackConditions: Readonly<Record<Exclude<CostLack, 'any'>, string>> = {
  unknown: "usage in ('unknown', 'partial') and settled_by is null", unpriced: "cost_source = 'unpriced'", gaps: 'cost_gaps is not null',
};

/** The sums of a day say whether it has calls that lack this; what calls lack in general is in a separate index. */
const lackColumns: Readonly<Record<Exclude<CostLack, 'any'>, string>> = {
  unknown: 'unknown_calls', unpriced: 'unpriced_calls', gaps: 'gap_calls',
};

function isLack(lacks: CostLack | undefined): lacks is Exclude<CostLack, 'any'> {
  return lacks !== undefined && lacks !== 'any';
}

const hoursOfDay = sql.raw(Array.from({ length: 24 }, (_, hour) => `select ${hour} as hour`).join(' union all '));

/** The attributions that fit and have the label, each with the first instants of the hours in which it has. */
function hoursWithLabel({ organization, filter, since, until }: Asked, label: string): RawBuilder<unknown> {
  return sql`select w.attribution as those, w.day_ms + o.hour * 3600000 as from_ms from word_sum as w cross join (${hoursOfDay}) as o
    where w.organization = ${organization} and w.dimension = 'label' and w.subject = ${subjectOf(label)}
      and w.day_ms > ${since - 86_400_000n} and w.day_ms < ${until} and (w.hours is null or (w.hours >> o.hour) & 1 = 1)
      and w.attribution in (${attributionsThatFit(organization, attributionFilter({ filter }))})`;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
