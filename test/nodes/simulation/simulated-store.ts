/**
 * The shared store of the simulation: sums, leases, runs and marks in memory, each operation one transaction. What a claim is answered is
 * the product's own rule (core/src/spend/lease/answer.ts); what is kept is checked here, at every change, against the records and what
 * nodes reported.
 */
import type { LeaseAnswer } from '@metergate/core/spend/lease/account.ts';
import type { SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import { answerClaim, freed, noLease, type NodeLease } from '@metergate/core/spend/lease/answer.ts';
import { outstanding } from '@metergate/core/spend/lease/grant.ts';
import { leaseNodeState } from '@metergate/core/spend/lease/node-state.ts';
import { leaseName, type LeaseSubject } from '@metergate/core/spend/lease/subject.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { afterCall, endedFirst, tightenedTo, type EndedState, type Run } from '@metergate/core/run/run.ts';
import { windowAt } from '@metergate/core/spend/window.ts';
import type { NewRun } from '@metergate/store/runs/make-runs.ts';
import type { Faults } from './faults.ts';
import { caps, organization, subjectsOf, type JournalRow } from './rows.ts';

export class Violation extends Error {}

interface StoredNode {
  readonly home: string;
  heardAtMs: number;
  freed: boolean;
}

const nothing = nanoDollars(0n);

export class SimulatedStore {
  readonly records = new Map<string, { readonly row: Extract<JournalRow, { kind: 'closed' }> }>();
  readonly runs = new Map<string, Run>();
  /** Of caps, as an operator last set them; empty: there are none. */
  readonly limits = new Map<string, NanoDollars>(caps.map((cap) => [cap.id, cap.limit]));
  readonly nodes = new Map<string, StoredNode>();
  readonly #marks = new Map<string, number>();
  readonly #spent = new Map<string, NanoDollars>();
  readonly #leases = new Map<string, Map<string, NodeLease>>();
  /** When each subject's limit was reached here. */
  readonly reachedAtMs = new Map<string, number>();
  /** Ends and tightenings, in their order. */
  readonly runChanges: string[] = [];
  /** Grows when nodes should confirm what they hold. */
  feed = 0;
  grants = 0;
  /** The budgets that runs began with; null: none. */
  readonly budgets = new Map<string, NanoDollars | null>();
  /** What each node reported of its spend, by the subject's name and its own; dead or alive. */
  readonly #reported = new Map<string, Map<string, bigint>>();
  /** What has arrived of each node, dead or alive, by its name and the subject's. */
  readonly #shipped = new Map<string, bigint>();
  /** Until when a node may go by what it was answered at the latest, by its name and the subject's. */
  readonly #validUntilMs = new Map<string, number>();
  readonly #faults: Faults;

  constructor(faults: Faults = {}) {
    this.#faults = faults;
  }

  beginNode(node: string, home: string, nowMs: number): void {
    for (const [other, stored] of this.nodes) {
      if (stored.home !== home || other === node) continue;
      for (const entries of this.#leases.values()) entries.delete(other);
      this.nodes.delete(other);
    }
    this.nodes.set(node, { home, heardAtMs: nowMs, freed: false });
  }

  /** A process ended, with everything shipped. */
  endNode(node: string): void {
    this.nodes.delete(node);
    for (const entries of this.#leases.values()) entries.delete(node);
  }

  /** Null: the node was forgotten. */
  heartbeat(node: string, nowMs: number): { readonly feed: number } | null {
    const stored = this.nodes.get(node);
    if (stored === undefined) return null;
    stored.heardAtMs = nowMs;
    stored.freed = false;
    return { feed: this.feed };
  }

  /** Frees what dead nodes held; gives back whose, and how long they had been silent. */
  sweep(nowMs: number): { readonly node: string; readonly silentMs: number }[] {
    const swept: { readonly node: string; readonly silentMs: number }[] = [];
    for (const [name, node] of this.nodes) {
      const state = (this.#faults.nodeState ?? leaseNodeState)(node.heardAtMs, nowMs);
      if (node.freed || state === 'live' || state === 'quarantined') continue;
      node.freed = true;
      swept.push({ node: name, silentMs: nowMs - node.heardAtMs });
      for (const [subject, entries] of this.#leases) {
        const entry = entries.get(name);
        if (entry === undefined) continue;
        this.#reported.get(subject)?.delete(name);
        entries.set(name, (this.#faults.freed ?? freed)(entry));
      }
    }
    return swept;
  }

  claim(node: string, number: number, { claims, nowMs }: { readonly claims: readonly SubjectClaim[]; readonly nowMs: number }): LeaseAnswer[] | null {
    if (!this.nodes.has(node)) return null;
    return claims.map((claim) => this.#claimOne(node, number, claim, nowMs));
  }

  ship(segment: string, through: number, rows: readonly JournalRow[], nowMs: number): void {
    const mark = this.#marks.get(segment) ?? 0;
    if (through <= mark) return;
    for (const row of rows) if (row.seq > mark) this.#keep(row, nowMs);
    this.#marks.set(segment, through);
  }

  mark(segment: string): number {
    return this.#marks.get(segment) ?? 0;
  }

  openRun({ organization: of, id, declared, effective, clampReason, startedAtMs, expiresAtMs }: NewRun): Run {
    const known = this.runs.get(id);
    if (known !== undefined) return known;
    const run: Run = {
      organization: of, id, state: 'live', declared, effective, clampReason, spent: nothing, unknownCalls: 0, unpricedCalls: 0, gapCalls: 0,
      startedAtMs, expiresAtMs, endedAtMs: null,
    };
    this.runs.set(id, run);
    this.budgets.set(id, effective);
    return run;
  }

  /** What the store has granted a node of a subject, by its name. */
  grantedTo(node: string, name: string): NanoDollars {
    return this.#leases.get(name)?.get(node)?.granted ?? nothing;
  }

  spentOf(name: string): NanoDollars {
    return this.#spent.get(name) ?? nothing;
  }

  /** What the store has of a node's spend, by the name of a subject. */
  shippedBy(node: string, name: string): bigint {
    return this.#shipped.get(`${node} ${name}`) ?? 0n;
  }

  /** No lease that was answered is valid later than this: it is counted from the question, which was asked before. */
  validUntilMs(node: string, subject: LeaseSubject): number {
    return this.#validUntilMs.get(`${node} ${leaseName(subject)}`) ?? -Infinity;
  }

  endRun(id: string, state: EndedState, nowMs: number): void {
    const run = this.runs.get(id);
    if (run === undefined) return;
    const ended = endedFirst(run, state, nowMs);
    if (ended === run) return;
    this.runs.set(id, ended);
    this.runChanges.push(id);
  }

  /** Every sum anew from the records. @throws Violation */
  recount(): void {
    const sums = new Map<string, bigint>();
    for (const { row } of this.records.values()) {
      for (const subject of subjectsOf(row.call)) sums.set(leaseName(subject), (sums.get(leaseName(subject)) ?? 0n) + (row.cost ?? 0n));
    }
    for (const [name, spent] of this.#spent) {
      if ((sums.get(name) ?? 0n) !== spent) throw new Violation(`spent ${spent} of ${name} is not the sum of its records, ${sums.get(name) ?? 0n}`);
    }
    for (const run of this.runs.values()) {
      const sum = sums.get(leaseName({ organization, scope: 'run', subject: run.id, window: 'run', startMs: 0, endMs: null })) ?? 0n;
      if (sum !== run.spent) throw new Violation(`run ${run.id} spent ${run.spent}, its records ${sum}`);
    }
  }

  /** Long after the last call nobody holds anything that others may want. @throws Violation */
  assertReturned(nowMs: number): void {
    for (const [name, entries] of this.#leases) {
      const [, , window, startMs, subject] = name.split(' ') as [string, string, LeaseSubject['window'], string, string];
      const over = window === 'run' ? this.runs.get(subject)?.state !== 'live' : (windowAt(window, Number(startMs)).endMs ?? Infinity) <= nowMs;
      if (over) continue;
      for (const [node, entry] of entries) {
        if (outstanding(entry) > 0n) throw new Violation(`${node} was granted ${outstanding(entry)} of ${name} and never gave it back`);
      }
    }
  }

  #claimOne(node: string, number: number, claim: SubjectClaim, nowMs: number): LeaseAnswer {
    const name = leaseName(claim.subject);
    let entries = this.#leases.get(name);
    if (entries === undefined) this.#leases.set(name, entries = new Map());
    const limit = this.limitOf(claim.subject);
    const spent = this.#spent.get(name) ?? nothing;
    const over = claim.subject.scope === 'run' && this.runs.get(claim.subject.subject)?.state !== 'live';
    const answering = this.#faults.answer ?? answerClaim;
    const { answer, kept, confirmAll } = answering({ limit, spent, over, leases: [...entries.values()] }, { node, number, claim, nowMs });
    if (over && answer.validMs > 0) throw new Violation(`${name} is over and confirmed for ${answer.validMs} ms`);
    if (confirmAll) this.feed += 1;
    const here = `${node} ${name}`;
    this.#validUntilMs.set(here, Math.max(this.#validUntilMs.get(here) ?? 0, nowMs + answer.validMs));
    if (kept === null) return answer;
    const before = entries.get(node) ?? noLease(node);
    entries.set(node, kept);
    this.grants += 1;
    this.#keepReport(node, name, claim.settled);
    if (limit !== null && kept.granted > before.granted && kept.granted > claim.settled && kept.granted > kept.shipped) {
      this.#assertGrant(name, spent, limit);
    }
    return answer;
  }

  #keepReport(node: string, name: string, settled: NanoDollars): void {
    const reported = this.#reported.get(name) ?? new Map<string, bigint>();
    this.#reported.set(name, reported.set(node, settled));
  }

  /** Nothing is granted of what was granted before, or is known to be spent, and has no record yet (promise 4). */
  #assertGrant(name: string, spent: NanoDollars, limit: NanoDollars): void {
    let taken: bigint = spent;
    const leases = this.#leases.get(name)!;
    const reported = this.#reported.get(name) ?? new Map<string, bigint>();
    for (const node of new Set([...leases.keys(), ...reported.keys()])) {
      const granted = leases.get(node)?.granted ?? 0n;
      const spent = reported.get(node) ?? 0n;
      const most = granted > spent ? granted : spent;
      const shipped = this.shippedBy(node, name);
      if (most > shipped) taken += most - shipped;
    }
    if (taken > limit) throw new Violation(`a grant of ${name} makes what is spent, granted and reported ${taken} of ${limit}`);
  }

  limitOf({ scope, subject }: LeaseSubject): NanoDollars | null {
    if (scope === 'run') return this.runs.get(subject)?.effective ?? null;
    const cap = caps.find((each) => each.scope === scope && (each.subject ?? '') === subject);
    return cap === undefined ? null : this.limits.get(cap.id) ?? null;
  }

  #keep(row: JournalRow, nowMs: number): void {
    if (row.kind === 'opened') return;
    if (row.kind === 'ended') return this.endRun(row.run, row.state, row.atMs);
    if (row.kind === 'tightened') {
      const run = this.runs.get(row.run);
      if (run === undefined) return;
      this.runs.set(row.run, tightenedTo(run, row.budget));
      this.runChanges.push(row.run);
      return;
    }
    if (this.records.has(row.call.id)) throw new Violation(`call ${row.call.id} has two records`);
    this.records.set(row.call.id, { row });
    const { run: runId } = row.call;
    const run = runId === null ? undefined : this.runs.get(runId);
    const cost = { cost: row.cost, usage: row.cost === null ? 'unknown' : 'reported', costSource: 'priced', costGaps: [] } as const;
    if (run !== undefined) this.runs.set(run.id, afterCall(run, cost));
    for (const subject of subjectsOf(row.call)) this.#add(subject, row, nowMs);
  }

  #add(subject: LeaseSubject, { call, cost }: Extract<JournalRow, { kind: 'closed' }>, nowMs: number): void {
    const name = leaseName(subject);
    const before = this.#spent.get(name) ?? nothing;
    const spent = nanoDollars(before + (cost ?? 0n));
    this.#spent.set(name, spent);
    this.#shipped.set(`${call.node} ${name}`, this.shippedBy(call.node, name) + (cost ?? 0n));
    let entries = this.#leases.get(name);
    if (entries === undefined) this.#leases.set(name, entries = new Map());
    // Once its process is known to be dead nothing is leased to a node any more.
    if (this.nodes.has(call.node)) {
      const entry = entries.get(call.node) ?? noLease(call.node);
      entries.set(call.node, { ...entry, shipped: nanoDollars(entry.shipped + (cost ?? 0n)) });
    }
    const limit = this.limitOf(subject);
    if (limit !== null && before < limit && spent >= limit) {
      this.reachedAtMs.set(name, nowMs);
      this.feed += 1;
    }
  }
}
