/** Warns on standard error if a requested time range begins before the oldest records, which were removed for their age (decision 0032). */
import type { UseCaseContext } from '@metergate/platform/use-cases/context.ts';
import { findFigures, goneBefore } from '@metergate/platform/use-cases/organizations.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import type { CommandTools } from './command.ts';
import { secondsText } from './table.ts';

interface RequestedTime {
  readonly organization: string;
  /** Absent: from the first call on. */
  readonly sinceMs?: number;
}

export async function warnOfRemovedRecords(
  context: UseCaseContext, { organization: idOrName, sinceMs }: RequestedTime, tools: CommandTools,
): Promise<void> {
  const organization = await findFigures(context, idOrName);
  const gone = isRefusal(organization) ? null : goneBefore(organization, sinceMs);
  if (gone === null) return;
  tools.stderr(`metergate: Some or all records of calls before ${secondsText(gone)} were removed for their age: `
    + 'figures of that time are incomplete.\n');
}
