/** Waits until everything that happened on a running product can be read in its store. */
import { eventually } from '@metergate/testkit/eventually.ts';
import type { System } from '@metergate/testkit/system.ts';

/** Resolves once every call that was opened is closed, and the journal has been shipped since. */
export async function allShipped({ opsUrl, stderr }: Pick<System, 'opsUrl' | 'stderr'>): Promise<void> {
  let closedAtMs: number | null = null;
  await eventually(async () => {
    const text = await (await fetch(`${opsUrl}/metrics`)).text();
    const [opened, closed, lagS] = ['journal_opened_total', 'journal_closed_total', 'ship_lag_seconds']
      .map((name) => Number(new RegExp(`^metergate_${name} (\\S+)$`, 'm').exec(text)?.[1]));
    if (opened !== closed) closedAtMs = null;
    else closedAtMs ??= performance.now();
    return closedAtMs !== null && performance.now() - lagS! * 1_000 > closedAtMs;
  }, () => `Not all is closed and shipped: ${stderr()}`);
}
