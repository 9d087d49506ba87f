/**
 * What an all-seeing observer knows of the simulation, and the promises it holds the nodes to at every admission (design 1,
 * promises 2, 4 and 5).
 */
import type { LeaseAccount } from '@metergate/core/lease/account.ts';
import { leaseName, type LeaseSubject } from '@metergate/core/lease/subject.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { subjectsOf, type SimulatedCall } from './rows.ts';
import { Violation, type SimulatedStore } from './simulated-store.ts';

/** After a limit is reached nothing is admitted later than this, on any node that reaches the store. */
const toldMs = 1_000;
/** And by one that does not: as long as a lease may be valid. */
const validMs = 5_000;
/** What happened before this is past: every node has confirmed since. */
const settledMs = 6_500;

export class Truth {
  readonly #store: SimulatedStore;
  readonly #prompt: boolean;
  readonly forwarded = new Map<string, SimulatedCall>();
  readonly #closed = new Map<string, bigint>();
  readonly #closedOn = new Map<string, bigint>();
  readonly #reachedMs = new Map<string, number>();
  /** The latest moment at which something was frozen, cut off or dead. */
  troubledMs = -Infinity;
  troubles = 0;
  /** By how much the limit that was passed most was passed. */
  passedBy: NanoDollars = nanoDollars(0n);

  /** `prompt`: no message is lost or slow, so what is promised within a second is due within a second. */
  constructor(store: SimulatedStore, prompt: boolean) {
    this.#prompt = prompt;
    this.#store = store;
  }

  admitted(call: SimulatedCall, nowMs: number): void {
    this.forwarded.set(call.id, call);
    for (const subject of subjectsOf(call)) {
      const name = leaseName(subject);
      const own = this.#closedOn.get(`${call.node} ${name}`) ?? 0n;
      // A node may still go by a limit that was since lowered; here they are only raised, and runs' budgets only lowered.
      const limit = subject.scope === 'run' ? null : this.#store.limitOf(subject);
      if (limit !== null && own >= limit) throw new Violation(`${call.node} admits on ${name} though it holds that ${own} of ${limit} is spent`);
      const reachedMs = this.#reachedMs.get(name);
      if (reachedMs !== undefined && this.#calm(nowMs) && nowMs > reachedMs + toldMs) {
        throw new Violation(`${call.node} admits on ${name} ${nowMs - reachedMs} ms after its limit was reached`);
      }
      const shownMs = this.#store.reachedAtMs.get(name);
      if (shownMs !== undefined && nowMs > shownMs + validMs) {
        throw new Violation(`${call.node} admits on ${name} ${nowMs - shownMs} ms after the store showed its limit reached`);
      }
    }
    const run = call.run === null ? undefined : this.#store.runs.get(call.run);
    if (run === undefined || run.state === 'live' || run.endedAtMs === null) return;
    const sinceMs = nowMs - run.endedAtMs;
    if (sinceMs > validMs || (sinceMs > toldMs && this.#calm(nowMs))) {
      throw new Violation(`${call.node} admits on run ${run.id} ${sinceMs} ms after it was ${run.state}`);
    }
  }

  /** What a node goes by is never more than what the store has granted it. */
  goesBy(node: string, { subject, granted }: LeaseAccount): void {
    const kept = this.#store.grantedTo(node, subject);
    if (granted > kept) throw new Violation(`${node} goes by ${granted} of ${leaseName(subject)}, granted are ${kept}`);
  }

  /** A refusal as spent is true: never on a guess (promise 5). */
  refused(node: string, subject: LeaseSubject, limit: NanoDollars): void {
    const closed = this.#closed.get(leaseName(subject)) ?? 0n;
    if (closed < limit) throw new Violation(`${node} says that ${leaseName(subject)} is spent, at ${closed} of ${limit}`);
  }

  /** An operator raised the limits. */
  raised(): void {
    for (const reached of [this.#reachedMs, this.#store.reachedAtMs]) {
      for (const name of reached.keys()) if (!name.includes(' run ')) reached.delete(name);
    }
  }

  closed(call: SimulatedCall, cost: NanoDollars | null, nowMs: number): void {
    for (const subject of subjectsOf(call)) {
      const name = leaseName(subject);
      const closed = (this.#closed.get(name) ?? 0n) + (cost ?? 0n);
      this.#closed.set(name, closed);
      const here = `${call.node} ${name}`;
      this.#closedOn.set(here, (this.#closedOn.get(here) ?? 0n) + (cost ?? 0n));
      const limit = this.#store.limitOf(subject);
      if (limit === null || closed < limit) continue;
      if (closed - limit > this.passedBy) this.passedBy = nanoDollars(closed - limit);
      if (!this.#reachedMs.has(name)) this.#reachedMs.set(name, nowMs);
    }
  }

  /** Nothing is known of what a call cost that its node died with. At the end: each forwarded call has one record, and there is no other. */
  assertRecorded(): void {
    for (const id of this.forwarded.keys()) if (!this.#store.records.has(id)) throw new Violation(`call ${id} was forwarded and has no record`);
    if (this.#store.records.size !== this.forwarded.size) throw new Violation('there are records of calls that were never forwarded');
  }

  #calm(nowMs: number): boolean {
    return this.#prompt && this.troubles === 0 && nowMs - this.troubledMs > settledMs;
  }
}
