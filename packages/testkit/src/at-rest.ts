/**
 * Whether a node gave back all that it held for calls. Asked after whatever a test did to it: what is held then, with nothing under way, is
 * held until a restart. Waits for quiet by condition, since the end of a call is seen by its caller before the node is done with it.
 */
import assert from 'node:assert/strict';
import { pauses } from './pauses.ts';

/** What a node holds, by kind: `Gateway.held()`, or `heldBy` of a running product. */
type Held = Readonly<Record<string, number>>;

/** Longer than a call is read on after its caller left, where no limit covers it. Milliseconds. */
const quietDeadlineMs = 60_000;

/** Fails with the kinds that are not 0, if they are not by the deadline. Needs callers that have left or have their answers. */
export async function assertAtRest(look: () => object | Promise<object>, deadlineMs: number = quietDeadlineMs): Promise<void> {
  const untilMs = performance.now() + deadlineMs;
  const pause = pauses();
  for (;;) {
    const left = Object.entries(await look() as Held).filter(([, count]) => count !== 0);
    if (left.length === 0) return;
    if (performance.now() > untilMs) assert.fail(`Nothing is under way, and still held: ${left.map((one) => one.join(' ')).join(', ')}.`);
    await pause();
  }
}

/** What the gateway of a running product holds, by its `/metrics`. They leave its part out where a busy thread is late: it may hold anything then. */
export async function heldBy(opsUrl: string): Promise<Held> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const lines = text.matchAll(/^metergate_held_for_calls\{kind="([a-z_]+)"\} (\S+)$/gm);
  const kinds = [...lines].map(([, kind, count]) => [kind!, Number(count)] as const);
  return kinds.length === 0 ? { 'what /metrics does not say': Number.NaN } : Object.fromEntries(kinds);
}
