/**
 * What an all-seeing observer knows of the simulation, and the promises it holds the nodes to at every admission (promises 2, 4 and 5).
 */
import type { SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import { leaseName, type LeaseSubject } from '@metergate/core/spend/lease/subject.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { BindingCap } from '@metergate/core/spend/cap-decision.ts';
import { noticeMs } from './operator.ts';
import type { Roughness } from './roughness.ts';
import { capSubject, caps, organization, runSubject, subjectsOf, type SimulatedCall } from './rows.ts';
import { Violation, type SimulatedStore } from './simulated-store.ts';

/** After a limit is reached nothing is admitted later than this, on any node that reaches the store. */
const knownMs = 1_000;
/** Within this all nodes know of a change if messages are slow and none is lost. */
const knownSlowlyMs = 1_500;
/** And by one that does not: as long as a lease may be valid. */
const validMs = 5_000;
/** What happened before this is past: every node has confirmed since. */
const settledMs = 6_500;
/** For how long a silent node's leases are nobody else's (rules: Spend across nodes). */
const keptMs = 135_000;
/** By how much a clock that is one percent slow passes the end of a lease. */
const slowMs = 60;

/** A cap that changed: its limits, where null is none. */
export interface CapChange {
  readonly before: bigint | null;
  readonly after: bigint | null;
  readonly nowMs: number;
}

export class Truth {
  readonly #store: SimulatedStore;
  readonly #prompt: boolean;
  readonly #rough: Roughness;
  readonly forwarded = new Map<string, SimulatedCall>();
  readonly #closed = new Map<string, bigint>();
  /** By node and subject: what calls there cost, what those under way will, and what they would have when the last was admitted. */
  readonly #closedOn = new Map<string, bigint>();
  readonly #openOn = new Map<string, bigint>();
  readonly #openAtLast = new Map<string, Map<string, bigint>>();
  readonly #reachedMs = new Map<string, number>();
  /** Of caps that were lowered or set: what nodes had or admitted before they knew, and until when they may not know. */
  readonly #floors = new Map<string, bigint>();
  /** Of caps that were set: what nodes had spent by then without a grant and not shipped, or spend until they know of it. */
  readonly #unknown = new Map<string, bigint>();
  readonly #unknownUntilMs = new Map<string, number>();
  /** What nodes that were given up had spent and not shipped. */
  readonly #allowed = new Map<string, bigint>();
  readonly #stillness: { readonly node: string; readonly forMs: number; readonly untilMs: number }[] = [];
  /** By node and run: the least budget that was declared there. */
  readonly #leastBudgets = new Map<string, bigint>();
  readonly #knownEnds = new Set<string>();
  /** By node. */
  readonly #reportedEnded = new Map<string, Set<string>>();
  /** The latest moment at which something was frozen, cut off or dead. */
  troubledMs = -Infinity;
  troubles = 0;
  /** By how much the limit that was passed most was passed. */
  passedBy: NanoDollars = nanoDollars(0n);

  constructor(store: SimulatedStore, rough: Roughness) {
    this.#store = store;
    this.#rough = rough;
    // No message is lost or slow, so what is promised within a second is due within a second.
    this.#prompt = rough.lost === 0 && rough.slow === 0 && !rough.badNearLimits && !rough.longAway;
  }

  /** `budget`: of its run, as the call declared it. */
  admitted(call: SimulatedCall, budget: NanoDollars | null, nowMs: number): void {
    this.forwarded.set(call.id, call);
    if (call.run !== null) this.#assertRun({ ...call, run: call.run }, budget, nowMs);
    for (const subject of subjectsOf(call)) {
      const name = leaseName(subject);
      const here = `${call.node} ${name}`;
      this.#assertConfirmed(call, subject, nowMs);
      const reachedMs = this.#reachedMs.get(name);
      if (reachedMs !== undefined && this.#calm(nowMs) && nowMs > reachedMs + knownMs) {
        throw new Violation(`${call.node} admits on ${name} ${nowMs - reachedMs} ms after its limit was reached`);
      }
      const shownMs = this.#store.reachedAtMs.get(name);
      if (shownMs !== undefined && nowMs > shownMs + validMs + this.#lostMs(call.node, shownMs)) {
        throw new Violation(`${call.node} admits on ${name} ${nowMs - shownMs} ms after the store showed its limit reached`);
      }
      const open = (this.#openOn.get(here) ?? 0n) + (call.cost ?? 0n);
      this.#openOn.set(here, open);
      const nodes = this.#openAtLast.get(name) ?? new Map<string, bigint>();
      this.#openAtLast.set(name, nodes.set(call.node, open));
    }
  }

  /**
   * What a node reports as spent is what its calls cost there, and what it holds is never more than the store has granted it. It may report
   * nothing more of a window that is over, and once the store knows that a node is ending, its reports do not count.
   */
  claimed(node: string, { subject, holds, settled }: SubjectClaim, nowMs: number): void {
    if (!this.#store.nodes.has(node)) return;
    const name = leaseName(subject);
    const closed = this.#closedOn.get(`${node} ${name}`) ?? 0n;
    const isOver = nowMs >= (subject.endMs ?? Infinity);
    if (settled !== closed && !isOver) throw new Violation(`${node} reports ${settled} spent of ${name}, its calls cost ${closed}`);
    const granted = this.#store.grantedTo(node, leaseName(subject));
    if (holds > granted && holds > settled) throw new Violation(`${node} holds ${holds} of ${name}, granted are ${granted}`);
  }

  /** A machine stood still until `nowMs`: its clocks say nothing of it, so to the node nothing has passed. */
  stoodStill(node: string, forMs: number, nowMs: number): void {
    this.#stillness.push({ node, forMs, untilMs: nowMs });
  }

  /** The store has freed a node's leases. Where it was silent for long enough, what it spent and did not ship may be granted to others. */
  freed({ node, silentMs }: { readonly node: string; readonly silentMs: number }): void {
    if (silentMs < keptMs) return;
    for (const name of this.#closed.keys()) {
      const here = `${node} ${name}`;
      const spent = (this.#closedOn.get(here) ?? 0n) + (this.#openOn.get(here) ?? 0n) - this.#store.shippedBy(node, name);
      if (spent > 0n) this.#allow(name, spent);
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

  /** What calls that have ended cost of a cap in the window in force. */
  spentOf(cap: BindingCap, nowMs: number): bigint {
    return this.#closed.get(leaseName(capSubject(cap, nowMs))) ?? 0n;
  }

  /**
   * An operator changed a cap. All nodes know of it within a second. If there is less now, or a limit where there was none, nodes may still
   * spend what they had by then, and what they admit until then.
   */
  capChanged(cap: BindingCap, { before, after, nowMs }: CapChange): void {
    for (const name of this.#windowsOf(cap, nowMs)) {
      const closed = this.#closed.get(name) ?? 0n;
      for (const [reached, spent] of [[this.#reachedMs, closed], [this.#store.reachedAtMs, this.#store.spentOf(name)]] as const) {
        if (after === null || spent < after) reached.delete(name);
        else if (!reached.has(name)) reached.set(name, nowMs + noticeMs);
      }
      if (before !== null && after !== null && after >= before) continue;
      this.#unknownUntilMs.set(name, nowMs + noticeMs);
      let floor = closed;
      let unknown = 0n;
      for (const node of this.#nodesOf(name)) {
        const [own, open] = [this.#closedOn.get(`${node} ${name}`) ?? 0n, this.#openOn.get(`${node} ${name}`) ?? 0n];
        const granted = this.#store.grantedTo(node, name);
        const shipped = this.#store.shippedBy(node, name);
        floor += open + (granted > own ? granted - own : 0n);
        const known = granted > shipped ? granted : shipped;
        if (own + open > known) unknown += own + open - known;
      }
      if (before === null) this.#unknown.set(name, unknown);
      this.#floors.set(name, floor);
    }
  }

  /** The names of a cap's windows in which anything was spent, and of those in force now and soon. */
  #windowsOf(cap: BindingCap, nowMs: number): Set<string> {
    const inForce = [nowMs, nowMs + settledMs].map((atMs) => leaseName(capSubject(cap, atMs)));
    const begin = `${organization} ${cap.scope} ${cap.window} `;
    return new Set([...inForce, ...[...this.#closed.keys()].filter((name) => name.startsWith(begin))]);
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

  /** Its node died with it: nobody ever knows what it cost. */
  interrupted(call: SimulatedCall): void {
    for (const subject of subjectsOf(call)) {
      const here = `${call.node} ${leaseName(subject)}`;
      this.#openOn.set(here, (this.#openOn.get(here) ?? 0n) - (call.cost ?? 0n));
    }
  }

  /** At the end: each forwarded call has one record, and there is no other. */
  assertRecorded(): void {
    for (const id of this.forwarded.keys()) if (!this.#store.records.has(id)) throw new Violation(`call ${id} was forwarded and has no record`);
    if (this.#store.records.size !== this.forwarded.size) throw new Violation('there are records of calls that were never forwarded');
  }

  /** Nothing that nodes wrote of runs is forgotten: what one reported as ended has ended, and each budget that a call declared binds. */
  assertRunsKept(): void {
    for (const node of this.#reportedEnded.keys()) this.assertEndsKept(node);
    for (const [here, least] of this.#leastBudgets) {
      const run = this.#store.runs.get(here.slice(here.indexOf(' ') + 1))!;
      if (run.state === 'live' && (run.effective === null || run.effective > least)) {
        throw new Violation(`${run.id} has a budget of ${run.effective}, ${least} was declared`);
      }
    }
  }

  /** A node has learned that a run has ended: it admits none of its calls from here on. */
  knowsEnd(node: string, id: string): void {
    this.#knownEnds.add(`${node} ${id}`);
  }

  /** A node answered a caller that a run is over. */
  reportedEnded(node: string, id: string): void {
    const runs = this.#reportedEnded.get(node) ?? new Set<string>();
    this.#reportedEnded.set(node, runs.add(id));
  }

  /** All that a node has written is in the store: what it reported as ended has ended. */
  assertEndsKept(node: string): void {
    for (const id of this.#reportedEnded.get(node) ?? []) {
      if (this.#store.runs.get(id)!.state === 'live') throw new Violation(`${node} reported that ${id} has ended, and it is live`);
    }
  }

  /** A run that has ended, or whose time has passed, admits nothing soon after, nor does one whose budget is spent on the node that knows it. */
  #assertRun({ node, run: id }: SimulatedCall & { readonly run: string }, budget: NanoDollars | null, nowMs: number): void {
    const here = `${node} ${id}`;
    const known = this.#leastBudgets.get(here);
    if (budget !== null && (known === undefined || budget < known)) this.#leastBudgets.set(here, budget);
    const least = this.#leastBudgets.get(here);
    const own = this.#closedOn.get(`${node} ${leaseName(runSubject(id))}`) ?? 0n;
    if (least !== undefined && own >= least) throw new Violation(`${node} admits on run ${id} with ${own} spent there of the ${least} it knows`);
    const run = this.#store.runs.get(id);
    if (run === undefined) return;
    if (run.expiresAtMs !== null && nowMs > run.expiresAtMs + knownMs && this.#knowsTime) {
      throw new Violation(`${node} admits on run ${id} ${nowMs - run.expiresAtMs} ms after its time`);
    }
    if (run.endedAtMs === null) return;
    if (this.#knownEnds.has(here)) throw new Violation(`${node} admits on run ${id}, whose end it knows`);
    const sinceMs = nowMs - run.endedAtMs;
    const isKnown = this.#calm(nowMs) ? sinceMs > knownMs : this.#losesNothing && sinceMs > knownSlowlyMs;
    if (isKnown || sinceMs > validMs + this.#lostMs(node, run.endedAtMs)) {
      throw new Violation(`${node} admits on run ${id} ${sinceMs} ms after it was ${run.state}`);
    }
  }

  #assertConfirmed({ node, cost }: SimulatedCall, subject: LeaseSubject, nowMs: number): void {
    const name = leaseName(subject);
    if (nowMs <= (this.#unknownUntilMs.get(name) ?? -Infinity)) {
      for (const sums of [this.#floors, this.#unknown]) sums.set(name, (sums.get(name) ?? 0n) + (cost ?? 0n));
    } else if (this.#store.limitOf(subject) !== null && this.#isLimitedThroughout(subject)) {
      this.#assertHeld(node, subject, this.#closedOn.get(`${node} ${name}`) ?? 0n);
      this.#assertFresh(node, subject, nowMs);
    }
  }

  /** A node admits only while its own spend has not used up what it was granted: the rest is what was in flight by then. */
  #assertHeld(node: string, subject: LeaseSubject, own: bigint): void {
    const granted = this.#store.grantedTo(node, leaseName(subject));
    if (own >= granted) throw new Violation(`${node} admits on ${leaseName(subject)} though ${own} of the ${granted} it was granted is spent`);
  }

  /** A node admits only on what the store has answered lately: what is older may have been freed and granted to others. */
  #assertFresh(node: string, subject: LeaseSubject, nowMs: number): void {
    const untilMs = this.#store.validUntilMs(node, subject);
    const lateMs = nowMs - untilMs - this.#lostMs(node, untilMs - validMs) - (this.#rough.clocksApart ? slowMs : 0);
    if (lateMs >= 0) throw new Violation(`${node} admits on ${leaseName(subject)} ${lateMs} ms after its lease ran out`);
  }

  /** Promise 4: a limit is passed by no more than what was in flight on each node when that admitted its last call. */
  #assertPassedByFew(subject: LeaseSubject, closed: bigint, limit: bigint): void {
    if (!this.#isLimitedThroughout(subject)) return;
    const name = leaseName(subject);
    let inFlight = 0n;
    for (const open of this.#openAtLast.get(name)?.values() ?? []) inFlight += open;
    const most = (this.#floors.get(name) ?? 0n) > limit ? this.#floors.get(name)! : limit;
    if (closed - most > inFlight + (this.#allowed.get(name) ?? 0n) + (this.#unknown.get(name) ?? 0n)) {
      throw new Violation(`${name} is passed by ${closed - most} of ${most}, ${inFlight} was in flight`);
    }
  }

  #nodesOf(name: string): Set<string> {
    const here = [...this.#closedOn.keys(), ...this.#openOn.keys()].filter((each) => each.endsWith(` ${name}`));
    return new Set(here.map((each) => each.slice(0, each.indexOf(' '))));
  }

  #allow(name: string, spent: bigint): void {
    this.#allowed.set(name, (this.#allowed.get(name) ?? 0n) + spent);
  }

  /** How long a node's machine stood still since then. */
  #lostMs(node: string, sinceMs: number): number {
    let lostMs = 0;
    for (const still of this.#stillness) if (still.node === node && still.untilMs > sinceMs) lostMs += still.forMs;
    return lostMs;
  }

  /** A budget that fell meanwhile, or came only then, is not known everywhere at once. */
  #isLimitedThroughout({ scope, subject }: LeaseSubject): boolean {
    if (scope !== 'run') return true;
    const budget = this.#store.budgets.get(subject);
    return budget !== undefined && budget !== null && this.#store.runs.get(subject)!.effective === budget;
  }

  /** Whether no node's time is ever more than a second late. */
  get #knowsTime(): boolean {
    return this.#rough.misfortuneMs === null && !this.#rough.clocksApart;
  }

  get #losesNothing(): boolean {
    const { lost, misfortuneMs, badNearLimits, longAway, clocksApart } = this.#rough;
    return lost === 0 && misfortuneMs === null && !badNearLimits && !longAway && !clocksApart;
  }

  #calm(nowMs: number): boolean {
    return this.#prompt && this.troubles === 0 && nowMs - this.troubledMs > settledMs;
  }
}
