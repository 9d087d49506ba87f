/**
 * What an all-seeing observer knows of the simulation, and the promises it holds the nodes to at every admission (design 1,
 * promises 2, 4 and 5).
 */
import type { SubjectClaim } from '@metergate/core/lease/book.ts';
import { leaseName, type LeaseSubject } from '@metergate/core/lease/subject.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { capSubject, caps, runSubject, subjectsOf, type SimulatedCall } from './rows.ts';
import { Violation, type SimulatedStore } from './simulated-store.ts';

/** After a limit is reached nothing is admitted later than this, on any node that reaches the store. */
const knownMs = 1_000;
/** And by one that does not: as long as a lease may be valid. */
const validMs = 5_000;
/** What happened before this is past: every node has confirmed since. */
const settledMs = 6_500;

export class Truth {
  readonly #store: SimulatedStore;
  readonly #prompt: boolean;
  readonly forwarded = new Map<string, SimulatedCall>();
  readonly #closed = new Map<string, bigint>();
  /** By node and subject: what calls there cost, what those under way will, and what they would have when the last was admitted. */
  readonly #closedOn = new Map<string, bigint>();
  readonly #openOn = new Map<string, bigint>();
  readonly #openAtLast = new Map<string, Map<string, bigint>>();
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
      const here = `${call.node} ${name}`;
      this.#assertHeld(call.node, subject, this.#closedOn.get(here) ?? 0n);
      this.#assertFresh(call.node, subject, nowMs);
      const reachedMs = this.#reachedMs.get(name);
      if (reachedMs !== undefined && this.#calm(nowMs) && nowMs > reachedMs + knownMs) {
        throw new Violation(`${call.node} admits on ${name} ${nowMs - reachedMs} ms after its limit was reached`);
      }
      const shownMs = this.#store.reachedAtMs.get(name);
      if (shownMs !== undefined && nowMs > shownMs + validMs) {
        throw new Violation(`${call.node} admits on ${name} ${nowMs - shownMs} ms after the store showed its limit reached`);
      }
      const open = (this.#openOn.get(here) ?? 0n) + (call.cost ?? 0n);
      this.#openOn.set(here, open);
      const nodes = this.#openAtLast.get(name) ?? new Map<string, bigint>();
      this.#openAtLast.set(name, nodes.set(call.node, open));
    }
    const run = call.run === null ? undefined : this.#store.runs.get(call.run);
    if (run === undefined || run.state === 'live' || run.endedAtMs === null) return;
    const sinceMs = nowMs - run.endedAtMs;
    if (sinceMs > validMs || (sinceMs > knownMs && this.#calm(nowMs))) {
      throw new Violation(`${call.node} admits on run ${run.id} ${sinceMs} ms after it was ${run.state}`);
    }
  }

  /** What a node claims to go by is never more than what the store has granted it. */
  claimed(node: string, { subject, holds }: SubjectClaim): void {
    const granted = this.#store.grantedTo(node, subject);
    if (holds > granted && this.#store.gaveUp === 0) {
      throw new Violation(`${node} goes by ${holds} of ${leaseName(subject)}, granted are ${granted}`);
    }
  }

  /** A refusal as spent is true: never on a guess (promise 5). */
  refused(node: string, subject: LeaseSubject, limit: NanoDollars): void {
    const closed = this.#closed.get(leaseName(subject)) ?? 0n;
    if (closed < limit) throw new Violation(`${node} says that ${leaseName(subject)} is spent, at ${closed} of ${limit}`);
  }

  /** As `refused`, of a run: by the budget that the node or, where it ended elsewhere, the store knows. */
  refusedRun(node: string, subject: LeaseSubject, effective: NanoDollars): void {
    const stored = this.#store.runs.get(subject.subject)?.effective ?? effective;
    this.refused(node, subject, stored < effective ? stored : effective);
  }

  /** Whether a cap or one of these runs is about to be reached, or was just. */
  isNearLimit(runs: readonly string[], nowMs: number): boolean {
    return [...caps.map((cap) => capSubject(cap, nowMs)), ...runs.map(runSubject)].some((subject) => {
      const limit = this.#store.limitOf(subject);
      const closed = this.#closed.get(leaseName(subject)) ?? 0n;
      return limit !== null && closed * 10n >= limit * 8n && closed * 10n <= limit * 11n;
    });
  }

  /** An operator raised the limits. */
  raised(): void {
    for (const reached of [this.#reachedMs, this.#store.reachedAtMs]) {
      for (const name of reached.keys()) if (!name.includes(' run ')) reached.delete(name);
    }
  }

  closed(call: SimulatedCall, nowMs: number): void {
    const { cost } = call;
    for (const subject of subjectsOf(call)) {
      const name = leaseName(subject);
      const closed = (this.#closed.get(name) ?? 0n) + (cost ?? 0n);
      this.#closed.set(name, closed);
      const here = `${call.node} ${name}`;
      this.#closedOn.set(here, (this.#closedOn.get(here) ?? 0n) + (cost ?? 0n));
      this.#openOn.set(here, (this.#openOn.get(here) ?? 0n) - (cost ?? 0n));
      const limit = this.#store.limitOf(subject);
      if (limit === null || closed < limit) continue;
      this.#assertPassedByFew(subject, closed, limit);
      if (closed - limit > this.passedBy) this.passedBy = nanoDollars(closed - limit);
      if (!this.#reachedMs.has(name)) this.#reachedMs.set(name, nowMs);
    }
  }

  /** Nothing is known of what a call cost that its node died with. At the end: each forwarded call has one record, and there is no other. */
  assertRecorded(): void {
    for (const id of this.forwarded.keys()) if (!this.#store.records.has(id)) throw new Violation(`call ${id} was forwarded and has no record`);
    if (this.#store.records.size !== this.forwarded.size) throw new Violation('there are records of calls that were never forwarded');
  }

  /** A node admits only while its own spend has not used up what it was granted: the rest is what was in flight by then. */
  #assertHeld(node: string, subject: LeaseSubject, own: bigint): void {
    if (!this.#isLimitedThroughout(subject)) return;
    const granted = this.#store.grantedTo(node, subject);
    if (own >= granted) throw new Violation(`${node} admits on ${leaseName(subject)} though ${own} of the ${granted} it was granted is spent`);
  }

  /** A node admits only on what the store has answered lately: what is older may have been freed and granted to others. */
  #assertFresh(node: string, subject: LeaseSubject, nowMs: number): void {
    if (!this.#isLimitedThroughout(subject)) return;
    const untilMs = this.#store.validUntilMs(node, subject);
    if (nowMs >= untilMs) throw new Violation(`${node} admits on ${leaseName(subject)} ${nowMs - untilMs} ms after its lease ran out`);
  }

  /** Promise 4: a limit is passed by no more than what was in flight on each node when that admitted its last call. */
  #assertPassedByFew(subject: LeaseSubject, closed: bigint, limit: bigint): void {
    if (this.#store.gaveUp > 0 || !this.#isLimitedThroughout(subject)) return;
    let inFlight = 0n;
    for (const open of this.#openAtLast.get(leaseName(subject))?.values() ?? []) inFlight += open;
    if (closed - limit > inFlight) {
      throw new Violation(`${leaseName(subject)} is passed by ${closed - limit} of ${limit}, ${inFlight} was in flight`);
    }
  }

  /** A budget that fell meanwhile, or came only then, is not known everywhere at once. */
  #isLimitedThroughout({ scope, subject }: LeaseSubject): boolean {
    if (scope !== 'run') return this.#store.limits.size > 0;
    const budget = this.#store.budgets.get(subject);
    return budget !== undefined && budget !== null && this.#store.runs.get(subject)!.effective === budget;
  }

  #calm(nowMs: number): boolean {
    return this.#prompt && this.troubles === 0 && nowMs - this.troubledMs > settledMs;
  }
}
