/**
 * Which of the mock's calls came through which subject: its log before and after each of the subject's rounds. At the end a
 * product's records are compared with its own calls, and every failed call is a fault of the run.
 */
import type { LoadOrder, LoadResult } from './load.ts';
import type { MockLog } from './mock-provider.ts';
import type { Load } from './load-process.ts';
import type { Subject } from './subjects.ts';

export class OwnCalls {
  readonly #load: Load;
  readonly #logs = new Map<Subject, MockLog>();
  readonly #failures = new Map<Subject, number>();

  constructor(load: Load) {
    this.#load = load;
  }

  /** Sends an order that concerns that subject. */
  async ask(subject: Subject, order: LoadOrder): Promise<LoadResult> {
    const before = { ...(await this.#load.log()) };
    const result = await this.#load.ask(order);
    const after = await this.#load.log();
    const own = this.#logs.get(subject) ?? { calls: 0, promptTokens: 0 };
    this.#logs.set(subject, {
      calls: own.calls + after.calls - before.calls, promptTokens: own.promptTokens + after.promptTokens - before.promptTokens,
    });
    this.#failures.set(subject, (this.#failures.get(subject) ?? 0) + result.failures);
    return result;
  }

  /** What went wrong, one sentence each: failed calls, and records that differ from the calls in number or in tokens. */
  async faults(): Promise<string[]> {
    const faults: string[] = [];
    for (const [{ name }, failures] of this.#failures) if (failures > 0) faults.push(`${name}: ${failures} calls failed`);
    for (const [subject, own] of this.#logs) {
      const recorded = await subject.recorded?.(own.calls);
      if (recorded === undefined) continue;
      const tokens = `${recorded.promptTokens} of ${own.promptTokens} prompt tokens`;
      console.log(`records of ${subject.name}: ${recorded.calls} of ${own.calls} calls, ${tokens}`);
      if (recorded.calls === own.calls && recorded.promptTokens === own.promptTokens) continue;
      faults.push(`${subject.name} recorded ${recorded.calls} calls and ${recorded.promptTokens} prompt tokens; the provider saw `
        + `${own.calls} and ${own.promptTokens}`);
    }
    return faults;
  }
}
