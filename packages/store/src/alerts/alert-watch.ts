/**
 * Polls for events that webhooks may want: caps by their sums, runs by their feed, days and Baselines by the clock. The transaction that
 * raises a cap's notice also stores that it was sent and writes the audit row, so it is sent once.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { capEvents, type CapEvent } from '@metergate/core/alert/cap-events.ts';
import { formatDollars, nanoDollars } from '@metergate/core/money.ts';
import type { LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import { calendarWindows, windowAt, type CalendarWindow } from '@metergate/core/spend/window.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { sql, type Kysely, type Transaction } from 'kysely';
import { recordAudit } from '../operation/audit-trail.ts';
import { raiseNotice, type Happening } from './raise-notice.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import type { Engine } from '../engine/engine.ts';
import { whileUnchanged } from '../engine/while-unchanged.ts';
import { spendOfCaps } from '../spend/spend-days.ts';

export interface AlertWatch {
  /** Checks every cap that may have an event to raise. Returns the number of events. */
  caps(nowMs: number): Promise<number>;
  /** Runs that went over their budget since the feed's number `after`; returns the number to continue from. */
  runs(after: number, nowMs: number): Promise<number>;
  /** Organizations that have a webhook. */
  listening(): Promise<OrganizationId[]>;
  /** Raises it, unless nobody listens or it was raised before. */
  raise(happening: Happening): Promise<boolean>;
}

const runsAtOnce = 500;

export function alertWatchIn(context: StoreContext): AlertWatch {
  const { background: engine } = context;
  const capsAgain = whileUnchanged<readonly CapRow[]>(engine);
  const runsAgain = whileUnchanged<readonly ChangedRun[]>(engine);
  return {
    async caps(nowMs) {
      let sent = 0;
      // All windows begin at midnight, UTC: until then only the store's own state decides.
      const rows = await capsAgain(windowAt('day', nowMs).startMs, () => engine.read((db) => capsToLookAt(engine.kind, db, nowMs)));
      for (const row of rows) sent += await sendEvents(context, row, nowMs);
      return sent;
    },
    async runs(after, nowMs) {
      const rows = await runsAgain(after, () => engine.read((db) => changedRuns(db, after)));
      for (const row of rows) {
        if (row.state !== 'over_budget') continue;
        const data = {
          run: row.id, spent: formatDollars(nanoDollars(row.spent_nano)),
          budget: row.effective_nano === null ? null : formatDollars(nanoDollars(row.effective_nano)),
          endedAt: isoText(row.ended_at_ms === null ? null : Number(row.ended_at_ms)), ...lackingOf(row),
        };
        await engine.write((transaction) => raiseNotice(context, transaction, {
          organization: row.organization, type: 'run.over_budget', dedupe: `run/${row.id}`, data, atMs: Math.floor(nowMs),
        }));
      }
      return Number(rows.at(-1)?.change ?? BigInt(after));
    },
    listening: () => engine.read(async (db) => (await db.selectFrom('webhook').select('organization').distinct().execute())
      .map(({ organization }) => organization as OrganizationId)),
    raise: (happening) => engine.write(async (transaction) => await raiseNotice(context, transaction, happening) !== null),
  };
}

/** How many calls may have cost more than the amount says. */
function lackingOf(row: { readonly [Name in 'unknown_calls' | 'unpriced_calls' | 'gap_calls']: bigint }): LackingCalls {
  return { unknownCalls: Number(row.unknown_calls), unpricedCalls: Number(row.unpriced_calls), gapCalls: Number(row.gap_calls) };
}

type ChangedRun = Awaited<ReturnType<typeof changedRuns>>[number];

function changedRuns(db: Kysely<Schema>, after: number) {
  return db.selectFrom('run')
    .select(['organization', 'id', 'change', 'state', 'spent_nano', 'effective_nano', 'ended_at_ms', 'unknown_calls', 'unpriced_calls', 'gap_calls'])
    .where('change', '>', BigInt(after)).orderBy('change').limit(runsAtOnce).execute();
}

type CapRow = Awaited<ReturnType<typeof capsToLookAt>>[number];

/** Caps with something new: another window, spend at the limit or below it again, spend under a threshold's watch. */
function capsToLookAt(engine: Engine['kind'], db: Kysely<Schema>, nowMs: number) {
  const stands = sql`not exists (select 1 from erased_organization as e where e.organization = c.organization)`;
  const starts = calendarWindows.map((window) => sql`when ${window} then ${sql.lit(windowAt(window, nowMs).startMs)}`);
  const current = sql<bigint>`case c.${sql.ref('window')} ${sql.join(starts, sql` `)} end`;
  return db.selectFrom('cap as c')
    .innerJoin(spendOfCaps(engine, nowMs, stands).as('s'), (join) => join.onRef('s.cap', '=', 'c.id'))
    .leftJoin('cap_told as t', 't.cap', 'c.id').leftJoin('cap_alert as a', 'a.cap', 'c.id')
    .select([
      'c.id', 'c.organization', 'c.scope', 'c.window', 'c.limit_nano', 's.spent_nano', 's.unknown_calls', 's.unpriced_calls',
      's.gap_calls', 'a.at', 't.window_start_ms', 't.reached', 't.thresholds',
    ])
    .where(sql<boolean>`((t.cap is not null and t.window_start_ms <> ${current})
      or (s.spent_nano >= c.limit_nano and coalesce(t.reached, 0) = 0)
      or (s.spent_nano < c.limit_nano and t.reached = 1)
      or (a.cap is not null and s.spent_nano > 0))`)
    .execute();
}

async function sendEvents(context: StoreContext, row: CapRow, nowMs: number): Promise<number> {
  const window = row.window as CalendarWindow;
  const windowStartMs = windowAt(window, nowMs).startMs;
  const before = row.window_start_ms === null ? null
    : { windowStartMs: Number(row.window_start_ms), reached: row.reached === 1n, thresholds: JSON.parse(row.thresholds ?? '[]') as number[] };
  const { events, sent } = capEvents(before, {
    windowStartMs, spent: nanoDollars(row.spent_nano), limit: nanoDollars(row.limit_nano),
    thresholds: row.at === null ? [] : (JSON.parse(row.at) as number[]),
  });
  if (events.length === 0 && before !== null && before.windowStartMs === windowStartMs && before.reached === sent.reached) return 0;
  await context.background.write(async (transaction) => {
    const kept = { window_start_ms: windowStartMs, reached: sent.reached ? 1 : 0, thresholds: JSON.stringify(sent.thresholds) };
    await transaction.insertInto('cap_told').values({ cap: row.id, organization: row.organization, ...kept })
      .onConflict((conflict) => conflict.column('cap').doUpdateSet(kept)).execute();
    for (const event of events) await announce(context, transaction, { row, event, windowStartMs, atMs: Math.floor(nowMs) });
  });
  return events.length;
}

interface Announcement {
  readonly row: CapRow;
  readonly event: CapEvent;
  readonly windowStartMs: number;
  readonly atMs: number;
}

async function announce(context: StoreContext, transaction: Transaction<Schema>, { row, event, windowStartMs, atMs }: Announcement): Promise<void> {
  const { id: cap, organization, scope, window } = row;
  const data = {
    cap, scope, window, ...(event.type === 'cap.threshold' ? { threshold: event.threshold } : {}),
    spent: formatDollars(nanoDollars(row.spent_nano)), limit: formatDollars(nanoDollars(row.limit_nano)),
    windowStartsAt: isoText(windowStartMs), ...lackingOf(row),
  };
  // A cap that is raised and reached again in one window gets another notice: the limit is part of the event.
  const dedupe = `${event.type}/${cap}/${windowStartMs}${event.type === 'cap.threshold' ? `/${event.threshold}` : `/${row.limit_nano}`}`;
  await raiseNotice(context, transaction, { organization, type: event.type, dedupe, data, atMs });
  if (event.type === 'cap.threshold') return;
  await recordAudit(context, transaction, {
    intent: { actor: { kind: 'system', id: null, name: null }, detail: { scope, window, limit: data.limit, spent: data.spent } },
    change: { action: event.type === 'cap.reached' ? 'capReached' : 'capReset', organization, subject: cap },
  });
}
