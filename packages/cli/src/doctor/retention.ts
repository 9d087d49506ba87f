/** Whether records are removed as their organizations' ages say. */
import { isoText } from '@metergate/core/time/iso-text.ts';
import { secondsText } from '../command-line/table.ts';
import type { Store } from '@metergate/store/store.ts';
import { finding, type Finding } from './finding.ts';

const dayMs = 86_400_000;
/** Records are removed some time after their age: at the next signed place of the chain of receipts. */
const slackMs = 2 * dayMs;

/** Empty if no organization has an age. */
export async function examineRetention({ retention }: Pick<Store, 'retention'>, nowMs: number): Promise<Finding[]> {
  const kept = await retention.organizations();
  const behind: string[] = [];
  let removed = 0;
  for (const { organization, days } of kept) {
    const oldestMs = await retention.oldestMs(organization);
    removed += (await retention.progress(organization))?.removedRecords ?? 0;
    if (oldestMs === null || oldestMs >= nowMs - days * dayMs - slackMs) continue;
    const oldest = secondsText(isoText(oldestMs));
    behind.push(`${organization} keeps records ${days} days, and has one of ${oldest}`);
  }
  if (kept.length === 0) return [];
  const organizations = kept.length === 1 ? '1 organization keeps' : `${kept.length} organizations keep`;
  if (behind.length === 0) return [finding('retention', 'ok', `${organizations} records for a number of days; ${removed} were removed so far.`)];
  return [finding('retention', 'warn', `Records that are past their age are still there: ${behind.slice(0, 3).join('; ')}${
    behind.length > 3 ? `, and ${behind.length - 3} more` : ''}. A running platform removes them bit by bit; if it does not, its log says why.`)];
}
