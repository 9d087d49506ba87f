/** Daily spend of the subjects of an organization's caps: for forecasts, and for detecting an unusual day. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CapScope } from '@metergate/core/spend/cap.ts';
import type { SpentDay } from '@metergate/core/spend/forecast.ts';
import type { StoreContext } from '../sealing/context.ts';
import { daysSpentGiven, spentOf } from '../spend/spend-days.ts';

/** What the days are of, and since when. `subject`: null for the organization. */
interface SpentDaysQuery {
  readonly scope: CapScope;
  readonly subject: string | null;
  readonly sinceMs: number;
}

export interface SpentDays {
  /** Days with calls, oldest first. */
  of(organization: OrganizationId, query: SpentDaysQuery): Promise<SpentDay[]>;
}

export function spentDaysIn({ engine }: StoreContext): SpentDays {
  const statement = `select s.day_ms, ${spentOf(engine.kind)} as spent_nano from (${daysSpentGiven(engine.kind, ['day_ms', 'spent_nano'])}) as s
    group by s.day_ms order by s.day_ms`;
  return {
    async of(organization, { scope, subject, sinceMs }) {
      const given = [organization, scope, subject ?? '', BigInt(Math.max(0, sinceMs)), BigInt(Number.MAX_SAFE_INTEGER)];
      const [rows] = await engine.look<{ readonly day_ms: bigint; readonly spent_nano: bigint }>(statement, [given]);
      return rows!.map((row) => ({ dayMs: Number(row.day_ms), spent: nanoDollars(row.spent_nano) }));
    },
  };
}
