/**
 * Inspect mode: the batches that would be posted, printed instead, one line of compact JSON each (spec, Tap client wrapper 7).
 * The same batches at the same moments as the reporter's; nothing is ever sent.
 */
import { createEventQueue, queueEventsMax } from './event-queue.ts';
import { batchEventsMax, bodyOf, flushIntervalMs, type Flushable, type ReporterGround } from './reporter.ts';

export class InspectPrinter implements Flushable {
  private readonly ground: Pick<ReporterGround, 'after' | 'print' | 'waiting'>;
  private readonly queue = createEventQueue(queueEventsMax);
  private scheduled = false;

  constructor(ground: Pick<ReporterGround, 'after' | 'print' | 'waiting'>) {
    this.ground = ground;
  }

  /** Takes the JSON of one event that passed the rules. */
  add(event: string): void {
    this.queue.add(event);
    this.ground.waiting(true);
    if (this.scheduled) return;
    this.scheduled = true;
    this.ground.after(flushIntervalMs, () => this.flushBlocking());
  }

  async flush(): Promise<void> {
    this.flushBlocking();
  }

  flushBlocking(): void {
    this.scheduled = false;
    while (this.queue.size > 0) this.ground.print(bodyOf(this.queue.take(batchEventsMax)));
    this.ground.waiting(false);
  }
}
