/** The sums of a time range in steps of an hour or a day. It reads only sums, so its cost does not grow with the number of calls. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { sql } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';

interface HoursQuery {
  readonly organization: OrganizationId;
  /** From this hour on. */
  readonly fromMs: number;
  /** Before this hour. */
  readonly toMs: number;
  /** An hour, or a multiple of it that begins with the epoch. */
  readonly stepMs: number;
}

export interface HourReports {
  /** Figures by name, of each step that has any; by the step's first instant. */
  steps(query: HoursQuery): Promise<ReadonlyMap<number, ReadonlyMap<string, bigint>>>;
}

/** A sum in two halves, since an engine fails if a sum passes 64 bits. */
interface StepRow {
  readonly start: bigint;
  readonly figure: string;
  readonly high: bigint;
  readonly low: bigint;
}

export function hourReportsIn({ engine }: StoreContext): HourReports {
  return {
    async steps({ organization, fromMs, toMs, stepMs }) {
      const step = sql.lit(stepMs);
      const { rows } = await engine.read((db) => sql<StepRow>`
        select hour_ms - hour_ms % ${step} as start, figure,
          cast(sum(amount >> 32) as bigint) as high, cast(sum(amount & 4294967295) as bigint) as low
        from hour_sum where organization = ${organization} and hour_ms >= ${BigInt(fromMs)} and hour_ms < ${BigInt(toMs)}
        group by 1, 2`.execute(db));
      const steps = new Map<number, Map<string, bigint>>();
      for (const { start, figure, high, low } of rows) {
        let figures = steps.get(Number(start));
        if (figures === undefined) steps.set(Number(start), figures = new Map());
        figures.set(figure, (high << 32n) + low);
      }
      return steps;
    },
  };
}
