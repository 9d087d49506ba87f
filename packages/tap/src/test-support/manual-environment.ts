/**
 * A reporter's environment that a test moves by hand: time stands still until the test lets it pass, every post waits for its answer, and
 * what is printed is kept.
 */
import type { EndpointAnswer, Settle } from '../reporting/answer.ts';
import type { ReporterEnvironment } from '../reporting/reporter.ts';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

export interface Post {
  readonly atMs: number;
  readonly body: string;
  /** The events' text, as they were added. */
  readonly events: readonly string[];
  answer(status: number, code?: string): Promise<void>;
}

/** Lets everything that is pending in promises run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export class ManualEnvironment implements ReporterEnvironment {
  nowMs = 1_000;
  readonly posts: Post[] = [];
  readonly printed: string[] = [];
  readonly waits: boolean[] = [];
  /** What the blocking transport answers, in turn; the last answer is repeated. */
  blockingAnswers: EndpointAnswer[] = [{ status: 202, closed: false }];
  readonly blocked: { readonly body: string; readonly attempt: number; readonly next: 'next' | 'again' | 'end' }[] = [];
  readonly #timers: Timer[] = [];

  monotonicMs(): number {
    return this.nowMs;
  }

  after(delayMs: number, run: () => void): void {
    this.#timers.push({ atMs: this.nowMs + delayMs, run });
  }

  print(line: string): void {
    this.printed.push(line);
  }

  waiting(waits: boolean): void {
    this.waits.push(waits);
  }

  post(body: string): Promise<EndpointAnswer> {
    let resolve!: (answer: EndpointAnswer) => void;
    const answer = new Promise<EndpointAnswer>((done) => {
      resolve = done;
    });
    const post: Post = {
      atMs: this.nowMs, body, events: (JSON.parse(body) as { events: unknown[] }).events.map((event) => JSON.stringify(event)),
      answer: (status, code) => {
        resolve({ status, closed: code === 'baseline_closed' });
        return settled();
      },
    };
    this.posts.push(post);
    return answer;
  }

  postBlocking(bodies: readonly string[], answered: Settle): void {
    for (let index = 0, attempt = 0; index < bodies.length;) {
      const answer = this.blockingAnswers.length > 1 ? this.blockingAnswers.shift()! : this.blockingAnswers[0]!;
      const waitMs = answered(answer, attempt);
      const next = waitMs === undefined ? 'end' : waitMs === 0 ? 'next' : 'again';
      this.blocked.push({ body: bodies[index]!, attempt, next });
      if (next === 'end') return;
      attempt = next === 'again' ? attempt + 1 : 0;
      if (next === 'next') index += 1;
    }
  }

  /** Pending timers. */
  pendingTimers(): number {
    return this.#timers.length;
  }

  /** Lets this much time pass; timers run at their due times. */
  async pass(durationMs: number): Promise<void> {
    const untilMs = this.nowMs + durationMs;
    await settled();
    for (;;) {
      const next = this.#timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.nowMs = next.atMs;
      next.run();
      await settled();
    }
    this.nowMs = untilMs;
    await settled();
  }
}
