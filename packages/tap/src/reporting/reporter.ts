/**
 * The reporter: events in, batches out, at an interval and at the end of the process (spec, Tap client wrapper 3 and 4; rule 30c).
 * An event waits until its batch is delivered or dropped. Clock, timers and transport are passed in. Nothing here throws or delays its
 * caller; undeliverable events are dropped.
 */
import { ignore } from '../observe/look.ts';
import { createStanding, type StandingEnvironment } from './standing.ts';
import type { EndpointAnswer, Settle } from './answer.ts';

const batchEventsMax = 100;
const flushIntervalMs = 2_000;
/** At most this many events wait, about 4 MB: a server that is away must not use up the host's memory. Later events are dropped. */
export const queueEventsMax = 10_000;

/** How batches are sent. */
export interface Transport {
  /** Never rejects. */
  post(body: string): Promise<EndpointAnswer>;
  /**
   * Posts one body after another while the thread blocks. After each answer `answered` says how to continue, as `Settle` does; undefined
   * means that no further body is posted. Ends at the deadline, monotonic milliseconds. There is at least one body.
   */
  postBlocking(bodies: readonly string[], answered: Settle, deadlineMs: number): void;
}

/** Everything a reporter touches. */
export interface ReporterEnvironment extends Transport, StandingEnvironment {
  /** A timer that does not keep the process alive. */
  after(delayMs: number, run: () => void): void;
  /** Called when events begin to wait and when none wait any more. */
  waiting(waits: boolean): void;
}

/** What the end of a process needs of a reporter. */
export interface Flushable {
  /** Delivers the waiting events before it returns, as far as the deadline allows, and prints what the user must know at the end. */
  flushBlocking(deadlineMs: number): void;
}

export interface Reporter extends Flushable {
  /** Takes the JSON of one event that passed the rules. */
  add(event: string): void;
}

export function createReporter(environment: ReporterEnvironment): Reporter {
  /** Waiting events, oldest first; the batch being posted is at the front. Replaced by a new list when all are dropped or handed over. */
  let queue: string[] = [];
  let running: Promise<void> | undefined;
  const { takes, posting, settle, end } = createStanding(environment, () => {
    queue = [];
  });
  const sleep = (durationMs: number): Promise<void> => new Promise((resolve) => environment.after(durationMs, resolve));

  /** Waits this long, then delivers what is queued at that moment, and further full batches. */
  const deliver = async (waitMs: number): Promise<void> => {
    if (waitMs) await sleep(waitMs);
    const events = queue;
    for (let due = events.length; due > 0 || events.length >= batchEventsMax; due -= batchEventsMax) {
      const batch = events.slice(0, batchEventsMax);
      for (let attempt = 0; ; attempt += 1) {
        const answer = await environment.post(bodyOf(batch));
        if (queue !== events) return;
        const againMs = settle(answer, attempt);
        if (againMs) await sleep(againMs);
        if (queue !== events) return;
        if (!againMs) break;
      }
      events.splice(0, batch.length);
    }
  };
  /** One delivery at a time. It fails only in a runtime without timers; there events are delivered only at the end of the process. */
  const schedule = (waitMs = flushIntervalMs): void => {
    const waits = queue.length > 0;
    environment.waiting(waits);
    if (!waits) return;
    running ??= deliver(waitMs).then(delivered, ignore);
  };
  const delivered = (): void => {
    running = undefined;
    schedule();
  };
  return {
    add(event) {
      const asking = !posting();
      if (asking && running || !takes()) return;
      if (queue.length < queueEventsMax) queue.push(event);
      // A stopped reporter posts only this event, and at once, to see whether it may resume.
      schedule(asking ? 0 : flushIntervalMs);
    },
    flushBlocking(deadlineMs) {
      const events = queue;
      queue = [];
      const bodies: string[] = [];
      while (events.length > 0) bodies.push(bodyOf(events.splice(0, batchEventsMax)));
      if (bodies.length) {
        environment.postBlocking(bodies, (answer, attempt) => {
          const waitMs = settle(answer, attempt);
          return posting() ? waitMs : undefined;
        }, deadlineMs);
      }
      end();
    },
  };
}

/** The body of a batch. */
function bodyOf(events: readonly string[]): string {
  return `{"events":[${events.join(',')}]}`;
}
