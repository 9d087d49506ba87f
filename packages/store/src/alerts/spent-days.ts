/** Daily spend of the subjects of an organization's caps: for forecasts, and for detecting an unusual day. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CapScope } from '@metergate/core/spend/cap.ts';
import type { SpentDay } from '@metergate/core/forecast/forecast.ts';
import type { StoreContext } from '../sealing/context.ts';

/** What the days are of, and since when. `subject`: null for the organization. */
export interface SpentDaysQuery {
  readonly scope: CapScope;
  readonly subject: string | null;
  readonly sinceMs: number;
}

export interface SpentDays {
  /** Days with calls, oldest first. */
  of(organization: OrganizationId, query: SpentDaysQuery): Promise<SpentDay[]>;
}

export function spentDaysIn({ engine }: StoreContext): SpentDays {
  return {
    of: (organization, { scope, subject, sinceMs }) => engine.read(async (db) => {
      const rows = await db.selectFrom('spend_day').select(['day_ms', 'spent_nano']).where('organization', '=', organization)
        .where('scope', '=', scope).where('subject', '=', subject ?? '').where('day_ms', '>=', BigInt(Math.max(0, sinceMs)))
        .orderBy('day_ms').execute();
      return rows.map((row) => ({ dayMs: Number(row.day_ms), spent: nanoDollars(row.spent_nano) }));
    }),
  };
}
