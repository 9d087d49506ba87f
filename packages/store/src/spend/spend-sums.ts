/**
 * Reads sums of spend: those of an organization and one of its keys in the windows of a moment, as a node's starting point. One statement, so
 * of one moment: every batch of records is in all of the sums or in none.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import { emptySums, type WindowSums } from '@metergate/core/spend/spend-sum.ts';
import { calendarWindows, type CalendarWindow } from '@metergate/core/spend/window.ts';
import { CompiledQuery } from 'kysely';
import type { StoreContext } from '../context.ts';

/** What an organization spent, all its calls, and what one of its keys did. */
export interface SubjectSums {
  readonly organization: WindowSums;
  readonly key: WindowSums;
}

export interface SpendSums {
  /** Of the windows that hold `atMs`; nothing spent for subjects never heard of. Values of the caller's own to go on with. */
  sums(subjects: { readonly organization: OrganizationId; readonly key: ServiceKeyId }, atMs: number): Promise<SubjectSums>;
}

interface SumRow {
  readonly scope: 'organization' | 'key';
  readonly window: CalendarWindow;
  readonly spent: NanoDollars;
}

const scopes = ['organization', 'key'] as const;

/** A fixed text, for it is asked with each key's first call. Each place whole, so that each is one walk down the key. */
function statementFor(parameter: (index: number) => string): string {
  let index = 0;
  const places = scopes.flatMap((scope) => calendarWindows.map((window) => `(organization = ${parameter(index += 1)} and scope = '${scope}'
    and subject = ${parameter(index += 1)} and "window" = '${window}' and start_ms = ${parameter(index += 1)})`));
  return `select scope, "window", spent_nano as spent from spend_sum where ${places.join(' or ')}`;
}

const statements = { sqlite: statementFor(() => '?'), postgres: statementFor((index) => `$${index}`) } as const;

export function spendSumsIn({ engine }: StoreContext): SpendSums {
  return {
    async sums({ organization, key }, atMs) {
      const sums: SubjectSums = { organization: emptySums(atMs), key: emptySums(atMs) };
      const values = scopes.flatMap((scope) =>
        calendarWindows.flatMap((window) => [organization, scope === 'key' ? key : '', sums[scope][window].startMs]));
      const { rows } = await engine.read((db) => db.executeQuery<SumRow>(CompiledQuery.raw(statements[engine.kind], values)));
      for (const { scope, window, spent } of rows) sums[scope][window].spent = spent;
      return sums;
    },
  };
}
