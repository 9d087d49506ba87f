/**
 * Reads sums of spend: those of an organization and one of its keys in the windows of a moment, as a node's starting point. Everything is read
 * at one moment: every batch of records is in all of the sums or in none.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import { copiedSums, emptySums, type WindowSums } from '@metergate/core/spend/spend-sum.ts';
import { calendarWindows, type CalendarWindow } from '@metergate/core/spend/window.ts';
import { arraysFrom, arraysTable, type BulkColumn } from '../engine/bulk.ts';
import type { StoreContext } from '../sealing/context.ts';
import { daysOf, daysSpentGiven, spentOf } from './spend-days.ts';

/** What all calls of an organization spent, and what one of its keys spent. */
export interface SubjectSums {
  readonly organization: WindowSums;
  readonly key: WindowSums;
}

/** A key whose sums are asked for, with its organization. */
interface SumsOf {
  readonly organization: OrganizationId;
  readonly key: ServiceKeyId;
}

/** A person or a label with a cap, in an organization. */
export interface CappedPlace {
  readonly organization: OrganizationId;
  readonly scope: 'person' | 'label';
  readonly subject: string;
}

/** What a person or a label spent. */
export interface CappedSums extends CappedPlace {
  readonly sums: WindowSums;
}

/** What these spent, and how far each segment of a journal had been shipped at that moment. */
interface CappedSpend {
  readonly spent: readonly CappedSums[];
  readonly marks: ReadonlyMap<string, number>;
}

export interface SpendSums {
  /**
   * The windows that hold `atMs`, of each in its order and read at one moment; zero for unknown subjects. Keys of one organization share its sums.
   * The caller may change the returned values.
   */
  sumsOfAll(subjects: readonly SumsOf[], atMs: number): Promise<SubjectSums[]>;
  /** Of people and labels, for a node that is alone with its store: all at one moment. On a shared store nodes learn it with their leases. */
  cappedSums(places: readonly CappedPlace[], atMs: number): Promise<CappedSpend>;
}

interface SumRow {
  readonly organization: string;
  readonly scope: 'organization' | 'key';
  readonly subject: string;
  readonly window: CalendarWindow;
  readonly spent: NanoDollars;
}

type SpentRow = { readonly [Window in CalendarWindow]: NanoDollars };

/** Whose days of spend these are. */
interface Place {
  readonly organization: OrganizationId;
  readonly scope: SumRow['scope'];
  readonly subject: string;
}

const placeColumns: readonly BulkColumn<Place>[] = [
  { name: 'organization', kind: 'text', value: ({ organization }) => organization },
  { name: 'scope', kind: 'text', value: ({ scope }) => scope },
  { name: 'subject', kind: 'text', value: ({ subject }) => subject },
];

/**
 * Fixed texts, since they run at each key's first call. Each place and window is one range of the table's key. SQLite is asked for each place
 * separately, which gives one row with a column for each window; PostgreSQL for all at once, which gives a row for each that spent something.
 */
const onSqlite = `select ${calendarWindows.map((window, index) => `(select ${spentOf('sqlite')} from spend_day as s where organization = ?1
  and scope = ?2 and subject = ?3 and day_ms >= ?${index * 2 + 4} and day_ms < ?${index * 2 + 5}) as "${window}"`).join(', ')}`;
const ranges = calendarWindows.map((window, index) =>
  `select '${window}' as "window", $${index * 2 + 4}::bigint as from_ms, $${index * 2 + 5}::bigint as to_ms`).join(' union all ');
const onServer = `select v.organization, v.scope, v.subject, w."window", ${spentOf('postgres')} as spent
  from ${arraysTable(placeColumns)} cross join (${ranges}) as w join spend_day as s on s.organization = v.organization
  and s.scope = v.scope and s.subject = v.subject and s.day_ms >= w.from_ms and s.day_ms < w.to_ms group by 1, 2, 3, 4`;

interface CappedRow {
  readonly spent: NanoDollars;
  readonly marks: string;
}

const cappedStatement = `select ${spentOf('sqlite')} as spent, (select json_group_object(id, mark) from journal_segment) as marks
  from (${daysSpentGiven('sqlite', ['spent_nano'])}) as s`;

export function spendSumsIn({ engine }: StoreContext): SpendSums {
  return {
    async sumsOfAll(subjects, atMs) {
      const empty = emptySums(atMs);
      const places = new Map<string, Place & { readonly sums: WindowSums }>();
      const placeOf = (organization: OrganizationId, scope: Place['scope'], subject: string): WindowSums => {
        const name = placeName({ organization, scope, subject });
        let place = places.get(name);
        if (place === undefined) places.set(name, place = { organization, scope, subject, sums: copiedSums(empty) });
        return place.sums;
      };
      const all = subjects.map(({ organization, key }): SubjectSums =>
        ({ organization: placeOf(organization, 'organization', ''), key: placeOf(organization, 'key', key) }));
      const rangesMs = calendarWindows.flatMap((window) => Object.values(daysOf(empty[window])));
      const given = [...places.values()];
      if (engine.kind === 'postgres') {
        const [rows = []] = await engine.look<SumRow>(onServer, [[...arraysFrom(placeColumns, given), ...rangesMs]]);
        for (const row of rows) places.get(placeName(row))!.sums[row.window].spent = row.spent;
      } else {
        const asked = given.map(({ organization, scope, subject }) => [organization, scope, subject, ...rangesMs]);
        const answers = await engine.look<SpentRow>(onSqlite, asked);
        answers.forEach(([row], index) => {
          for (const window of calendarWindows) given[index]!.sums[window].spent = row![window];
        });
      }
      return all;
    },
    async cappedSums(places, atMs) {
      const empty = emptySums(atMs);
      const given = places.flatMap(({ organization, scope, subject }) => calendarWindows.map((window) => {
        const { fromMs, toMs } = daysOf(empty[window]);
        return [organization, scope, subject, fromMs, toMs];
      }));
      // Each answer has the marks of all segments, since they must be read at the same moment.
      const answers = await engine.look<CappedRow>(cappedStatement, given);
      const spent = places.map((place) => ({ ...place, sums: copiedSums(empty) }));
      answers.forEach(([row], index) => {
        spent[Math.floor(index / calendarWindows.length)]!.sums[calendarWindows[index % calendarWindows.length]!].spent = row!.spent;
      });
      const marks = JSON.parse(answers[0]?.[0]?.marks ?? '{}') as Record<string, number>;
      return { spent, marks: new Map(Object.entries(marks)) };
    },
  };
}

function placeName({ organization, scope, subject }: Pick<SumRow, 'organization' | 'scope' | 'subject'>): string {
  return `${organization} ${scope} ${subject}`;
}
