/** Waits until everything that happened on a running product can be read in its store. */
import { setTimeout as pass } from 'node:timers/promises';
import type { System } from '@metergate/testkit/system.ts';

const deadlineMs = 60_000;
const askAgainMs = 50;

/**
 * Resolves once every call that was opened is closed, and the journal has been shipped since.
 * @throws Error after 60 s, with the product's stderr
 */
export async function allShipped({ opsUrl, stderr }: Pick<System, 'opsUrl' | 'stderr'>): Promise<void> {
  const until = performance.now() + deadlineMs;
  for (let closedAtMs: number | null = null; performance.now() < until; await pass(askAgainMs)) {
    const text = await (await fetch(`${opsUrl}/metrics`)).text();
    const [opened, closed, lagS] = ['journal_opened_total', 'journal_closed_total', 'ship_lag_seconds']
      .map((name) => Number(new RegExp(`^metergate_${name} (\\S+)$`, 'm').exec(text)?.[1]));
    if (opened !== closed) closedAtMs = null;
    else closedAtMs ??= performance.now();
    if (closedAtMs !== null && performance.now() - lagS! * 1_000 > closedAtMs) return;
  }
  throw new Error(`Not all is closed and shipped within ${deadlineMs / 1_000} s: ${stderr()}`);
}
