/**
 * Clocks that are not the machine's, for processes and pages. A test that counts the calls of a month, a day or an hour must not see it end in
 * between: its process stands at noon, and so does each product that it starts.
 */
import { runInThisContext } from 'node:vm';

const dayMs = 86_400_000;
/** How far the clock of this process is ahead of the machine's. Milliseconds. */
let aheadMs = 0;

/** A script after which the clock is so much ahead. */
const hook = (byMs: number): string => `{ const { now } = Date; Date.now = () => now() + ${byMs};
  globalThis.Date = new Proxy(Date, { construct: (of, given, as) => Reflect.construct(of, given.length === 0 ? [of.now()] : given, as) }); }`;

/** For the environment of a process whose clock is so much ahead, in each of its threads. */
export function clockAhead(byMs: number): { readonly NODE_OPTIONS?: string } {
  return byMs === 0 ? {} : { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook(byMs))}` };
}

/**
 * Sets this process's clock to the next noon in UTC, from which it goes on, if that is in this month. Call it where a file is loaded. Products that
 * are started afterwards have the same clock. Programs of others, such as browsers and databases, keep the machine's. It is less than a day behind:
 * no cookie ends early there.
 */
export function standAtNoon(): void {
  if (aheadMs !== 0) return;
  const nowMs = Date.now();
  const noonMs = (Math.ceil(nowMs / dayMs - 0.5) + 0.5) * dayMs;
  // In the afternoon of a month's last day: nodes follow the clock of a shared store, which would be in another month.
  if (new Date(noonMs).getUTCMonth() !== new Date(nowMs).getUTCMonth()) return;
  aheadMs = noonMs - nowMs;
  runInThisContext(hook(aheadMs));
}

/** As this process's. */
export const productClock = (): { readonly NODE_OPTIONS?: string } => clockAhead(aheadMs);

/** A script that sets a page's clock to this process's. */
export const pageClock = (): string => hook(aheadMs);
