/**
 * The reporter: events in, batches out, by the state machine of the spec (Tap reporter; design 3, rows 29 and 30c).
 * posting → stopped (410 baseline_closed; a single event a minute asks again) → posting; posting, stopped → quiet, for good.
 * Clock, timers and transport are passed in. Nothing here throws or delays its caller; what cannot be delivered is dropped.
 */
import { verdictOf, type Answer, type Verdict } from './answer.ts';
import { createEventQueue, queueEventsMax } from './event-queue.ts';
import { noticeLine, type Notice } from './notices.ts';
import type { Cancel } from './runtime.ts';

export const batchEventsMax = 100;
export const flushIntervalMs = 2_000;
export const retryWaitsMs: readonly number[] = [200, 800];
export const recheckAfterMs = 60_000;
/** How long a flush at the end of the process may take: both retries and a little. */
export const exitBudgetMs = 1_500;
const unauthorizedMax = 3;

/** One post under way. */
export interface Attempt {
  /** Never rejects. */
  readonly answer: Promise<Answer>;
  /** Ends it now; the answer is then `noAnswer`. */
  abandon(): void;
}

/** What `postBlocking` does after an answer. */
export type NextPost = 'next' | 'again' | 'end';

/** How batches leave. */
export interface Transport {
  post(body: string): Attempt;
  /** Posts one body after another while the thread stands still; asks after each answer how to go on. Bounded in time. */
  postBlocking(bodies: readonly string[], answered: (answer: Answer, attempt: number) => NextPost): void;
}

/** Everything a reporter touches. */
export interface ReporterGround extends Transport {
  monotonicMs(): number;
  /** A timer that does not keep the process alive. */
  after(delayMs: number, run: () => void): Cancel;
  /** A timer that does. */
  hold(delayMs: number, run: () => void): Cancel;
  print(line: string): void;
  /** Told when something begins to wait and when nothing waits any more. */
  waiting(waits: boolean): void;
}

/** What the ends of a process need of a reporter. */
export interface Flushable {
  /** Delivers what waits, keeping the process alive for `exitBudgetMs` at most. */
  flush(): Promise<void>;
  /** Delivers what waits before it returns, as far as the moment allows. */
  flushBlocking(): void;
}

/** The body of a batch. */
export function bodyOf(events: readonly string[]): string {
  return `{"events":[${events.join(',')}]}`;
}

export class Reporter implements Flushable {
  readonly #ground: ReporterGround;
  readonly #queue = createEventQueue(queueEventsMax);
  #state: 'posting' | 'stopped' | 'quiet' = 'posting';
  /** Answers 401 in a row. */
  #unauthorized = 0;
  /** When a stopped reporter may ask again, monotonic. */
  #recheckAtMs = 0;
  #cancelTimer: Cancel | null = null;
  #inFlight: readonly string[] = [];
  #running: Promise<void> | null = null;
  /** Ends the post or the wait of the batch in flight. */
  #abandon: Cancel = () => undefined;
  /** The process ends: all goes now, and a server that is away is not asked again. */
  #ending = false;
  /** How often what was under way has been given up; a delivery begun before the last time touches nothing any more. */
  #givenUp = 0;

  constructor(ground: ReporterGround) {
    this.#ground = ground;
  }

  /** Takes the JSON of one event that passed the rules. */
  add(event: string): void {
    if (this.#state === 'quiet') return;
    if (this.#state === 'stopped') return this.#recheck(event);
    this.#queue.add(event);
    this.#schedule();
  }

  async flush(): Promise<void> {
    if (!this.#pending) return;
    const release = this.#ground.hold(exitBudgetMs, () => this.#giveUp());
    this.#ending = true;
    try {
      await this.#running;
      await this.#start();
    } finally {
      release();
      this.#ending = false;
    }
  }

  flushBlocking(): void {
    const events = [...this.#inFlight, ...this.#queue.take(queueEventsMax)];
    const bodies: string[] = [];
    for (let at = 0; at < events.length; at += batchEventsMax) bodies.push(bodyOf(events.slice(at, at + batchEventsMax)));
    this.#giveUp();
    if (bodies.length === 0) return;
    this.#ground.postBlocking(bodies, (answer, attempt) => {
      const verdict = this.#settle(answer);
      if (this.#state !== 'posting') return 'end';
      if (verdict !== 'retry') return 'next';
      return attempt < retryWaitsMs.length ? 'again' : 'end';
    });
  }

  get #pending(): boolean {
    return this.#queue.size > 0 || this.#inFlight.length > 0;
  }

  #schedule(): void {
    if (!this.#pending) return this.#ground.waiting(false);
    this.#ground.waiting(true);
    if (this.#cancelTimer !== null || this.#running !== null) return;
    this.#cancelTimer = this.#ground.after(flushIntervalMs, () => {
      this.#cancelTimer = null;
      void this.#start();
    });
  }

  /** Delivers what is queued at this moment, and further full batches. One run at a time. */
  #start(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#deliverDue();
    } catch {
      // What cannot be delivered is dropped.
    } finally {
      this.#running = null;
      this.#schedule();
    }
  }

  async #deliverDue(): Promise<void> {
    let due = this.#queue.size;
    while (this.#queue.size > 0 && (due > 0 || this.#ending || this.#queue.size >= batchEventsMax)) {
      const batch = this.#queue.take(batchEventsMax);
      due -= batch.length;
      const verdict = await this.#deliver(batch);
      if (this.#ending && verdict === 'retry') this.#queue.clear();
    }
  }

  /** Posts one batch, twice more where that may help. Resolves with the last verdict, when the batch is delivered or dropped. */
  async #deliver(batch: readonly string[]): Promise<Verdict> {
    const givenUp = this.#givenUp;
    this.#inFlight = batch;
    try {
      const body = bodyOf(batch);
      for (let attempt = 0; ; attempt += 1) {
        const post = this.#ground.post(body);
        this.#abandon = () => post.abandon();
        const answer = await post.answer;
        if (givenUp !== this.#givenUp) return 'retry';
        const verdict = this.#settle(answer);
        const waitMs = retryWaitsMs[attempt];
        if (verdict !== 'retry' || waitMs === undefined) return verdict;
        await this.#wait(waitMs);
        if (givenUp !== this.#givenUp) return 'retry';
      }
    } finally {
      this.#inFlight = [];
      this.#abandon = () => undefined;
    }
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#ground.after(delayMs, resolve);
      this.#abandon = () => {
        cancel();
        resolve();
      };
    });
  }

  /** What an answer changes in the reporter. */
  #settle(answer: Answer): Verdict {
    const verdict = verdictOf(answer);
    // A failure without an answer does not come between answers.
    if (answer.status !== 0) this.#unauthorized = verdict === 'unauthorized' ? this.#unauthorized + 1 : 0;
    if (this.#unauthorized >= unauthorizedMax) this.#leave('quiet', 'keyNotAccepted');
    else if (verdict === 'retired') this.#leave('quiet', 'retired');
    else if (verdict === 'closed') this.#leave('stopped', this.#state === 'stopped' ? null : 'closed');
    else if (verdict === 'delivered' && this.#state === 'stopped') this.#state = 'posting';
    return verdict;
  }

  #leave(state: 'stopped' | 'quiet', notice: Notice | null): void {
    this.#state = state;
    this.#recheckAtMs = this.#ground.monotonicMs() + recheckAfterMs;
    this.#queue.clear();
    if (notice !== null) this.#ground.print(noticeLine(notice));
  }

  /** Stopped: the first event a minute after the last answer asks alone; every other is dropped. */
  #recheck(event: string): void {
    if (this.#running !== null || this.#ground.monotonicMs() < this.#recheckAtMs) return;
    this.#queue.add(event);
    this.#recheckAtMs = this.#ground.monotonicMs() + recheckAfterMs;
    this.#ground.waiting(true);
    void this.#start();
  }

  #giveUp(): void {
    this.#givenUp += 1;
    this.#queue.clear();
    this.#inFlight = [];
    this.#abandon();
  }
}
