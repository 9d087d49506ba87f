/**
 * Sums of spend as they are read: of an organization and one of its keys in the windows of a moment, for a node to begin
 * from. One statement, so of one moment: every batch of records is in all of the sums or in none.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import { emptySums, type WindowSums } from '@metergate/core/spend/spend-sum.ts';
import { calendarWindows, type CalendarWindow } from '@metergate/core/spend/window.ts';
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

export function spendSumsIn({ engine }: StoreContext): SpendSums {
  return {
    async sums({ organization, key }, atMs) {
      const sums: SubjectSums = { organization: emptySums(atMs), key: emptySums(atMs) };
      const places = (['organization', 'key'] as const).flatMap((scope) =>
        calendarWindows.map((window) => ({ scope, subject: scope === 'key' ? key : '', window, start_ms: BigInt(sums[scope][window].startMs) })));
      const rows = await engine.read((db) => db.selectFrom('spend_sum').select(['scope', 'window', 'spent_nano'])
        // Each place whole, so that each is one walk down the key.
        .where((where) => where.or(places.map((place) => where.and({ organization, ...place })))).execute());
      for (const row of rows) {
        sums[row.scope as 'organization' | 'key'][row.window as CalendarWindow].spent = row.spent_nano as NanoDollars;
      }
      return sums;
    },
  };
}
