/**
 * The reporter: events in, batches out, by the state machine of the spec (Tap reporter; design 3, rows 29 and 30c).
 * posting → stopped (410 baseline_closed; a single event a minute asks again) → posting; posting, stopped → quiet, for good.
 * Clock, timers and transport are passed in. Nothing here throws or delays its caller; what cannot be delivered is dropped.
 */
import { verdictOf, type Answer, type Verdict } from './answer.ts';
import { bodyOf, createBatchDelivery, retryWaitsMs, type DeliveryGround } from './batch-delivery.ts';
import { createEventQueue, queueEventsMax } from './event-queue.ts';
import { noticeLine, type Notice } from './notices.ts';
import type { Cancel } from './runtime.ts';

export const batchEventsMax = 100;
export const flushIntervalMs = 2_000;
export const recheckAfterMs = 60_000;
const unauthorizedMax = 3;

/** What `postBlocking` does after an answer. */
export type NextPost = 'next' | 'again' | 'end';

/** How batches leave. */
export interface Transport extends Pick<DeliveryGround, 'post'> {
  /** Posts one body after another while the thread stands still; asks after each answer how to go on. Bounded in time. */
  postBlocking(bodies: readonly string[], answered: (answer: Answer, attempt: number) => NextPost): void;
}

/** Everything a reporter touches. */
export interface ReporterGround extends Transport, DeliveryGround {
  monotonicMs(): number;
  print(line: string): void;
  /** Told when something begins to wait and when nothing waits any more. */
  waiting(waits: boolean): void;
}

/** What the ends of a process need of a reporter. */
export interface Flushable {
  /** Delivers what waits before it returns, as far as the moment allows. */
  flushBlocking(): void;
}

export interface Reporter extends Flushable {
  /** Takes the JSON of one event that passed the rules. */
  add(event: string): void;
}

/** What the answers have made of a reporter. */
interface Standing {
  /** True where an event may be taken; a stopped reporter takes one a minute. */
  takes(): boolean;
  posting(): boolean;
  /** What an answer changes; its verdict. */
  settle(answer: Answer): Verdict;
}

/** `dropAll` is called when the reporter stops, to drop what waits. */
function createStanding(ground: Pick<ReporterGround, 'monotonicMs' | 'print'>, dropAll: () => void): Standing {
  let state: 'posting' | 'stopped' | 'quiet' = 'posting';
  let unauthorized = 0;
  let recheckAtMs = 0;
  const askedNow = (): void => {
    recheckAtMs = ground.monotonicMs() + recheckAfterMs;
  };
  const leave = (left: 'stopped' | 'quiet', notice: Notice): void => {
    if (state !== left) ground.print(noticeLine(notice));
    state = left;
    dropAll();
  };
  return {
    posting: () => state === 'posting',
    takes() {
      if (state !== 'stopped') return state === 'posting';
      if (ground.monotonicMs() < recheckAtMs) return false;
      askedNow();
      return true;
    },
    settle(answer) {
      const verdict = verdictOf(answer);
      // A failure without an answer does not come between answers.
      if (answer.status !== 0) unauthorized = verdict === 'unauthorized' ? unauthorized + 1 : 0;
      askedNow();
      if (unauthorized >= unauthorizedMax) leave('quiet', 'keyNotAccepted');
      else if (verdict === 'retired') leave('quiet', 'retired');
      else if (verdict === 'closed') leave('stopped', 'closed');
      else if (verdict === 'delivered' && state === 'stopped') state = 'posting';
      return verdict;
    },
  };
}

export function createReporter(ground: ReporterGround): Reporter {
  const queue = createEventQueue(queueEventsMax);
  const standing = createStanding(ground, () => queue.clear());
  const delivery = createBatchDelivery(ground, standing.settle);
  let cancelTimer: Cancel | null = null;
  let running: Promise<void> | null = null;

  const pending = (): boolean => queue.size() + delivery.inFlight().length > 0;
  const schedule = (): void => {
    ground.waiting(pending());
    if (pending() && cancelTimer === null && running === null) cancelTimer = ground.after(flushIntervalMs, start);
  };
  /** Delivers what is queued at this moment, and further full batches. One run at a time. */
  const start = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    // Nothing in here rejects; if it did, the host would hear of it.
    running ??= deliverDue().catch(() => undefined).finally(() => {
      running = null;
      schedule();
    });
  };
  const deliverDue = async (): Promise<void> => {
    for (let due = queue.size(); queue.size() > 0 && (due > 0 || queue.size() >= batchEventsMax); due -= batchEventsMax) {
      await delivery.deliver(queue.take(batchEventsMax));
    }
  };
  return {
    add(event) {
      if (!standing.posting() && running !== null || !standing.takes()) return;
      queue.add(event);
      // A stopped reporter asks with this event alone, and at once.
      if (!standing.posting()) start();
      schedule();
    },
    flushBlocking() {
      const events = [...delivery.inFlight(), ...queue.take(queueEventsMax)];
      queue.clear();
      delivery.giveUp();
      const bodies: string[] = [];
      while (events.length > 0) bodies.push(bodyOf(events.splice(0, batchEventsMax)));
      if (bodies.length === 0) return;
      ground.postBlocking(bodies, (answer, attempt) => {
        const verdict = standing.settle(answer);
        if (!standing.posting()) return 'end';
        if (verdict !== 'retry') return 'next';
        return attempt < retryWaitsMs.length ? 'again' : 'end';
      });
    },
  };
}
