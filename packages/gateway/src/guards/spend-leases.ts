/**
 * The leases of a node on a shared store: what its caps and runs may spend, requested off the path of a call (rules: Spend across nodes).
 * The rules are in core/src/spend/lease; here they are applied to the node's sums, its clocks and the store thread.
 * Rule: at each decision a cap or run counts as confirmed only while its lease is unspent and fresh. A call that finds none
 * waits once, within its deadline. On the embedded store there is none of this: the node is the authority.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import {
  noteLimit, runsAreCurrent, openAccount, settledOf, spentView, type CallsUnderWay, type LeaseAccount, type LeaseMoment,
} from '@metergate/core/spend/lease/account.ts';
import type { LeaseBatch, LeaseBook, WindowLease } from '@metergate/core/spend/lease/book.ts';
import { addRecent } from '@metergate/core/spend/lease/recent-spend.ts';
import { leaseName, type LeaseSubject } from '@metergate/core/spend/lease/subject.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { BindingScope, BoundCap } from '@metergate/core/spend/cap-decision.ts';
import { addCall, emptySums, showSpent, type WindowSums } from '@metergate/core/spend/spend-sum.ts';
import type { CalendarWindow } from '@metergate/core/spend/window.ts';
import type { StoreClient } from '@metergate/store/desk/store-client.ts';
import type { Clock } from '../clock/clock.ts';
import type { HeldRun, RunRegistry } from './run-registry.ts';

/** An organization or a key, as far as this node spends from its limits. */
export interface LeasedSubject {
  readonly organization: OrganizationId;
  readonly scope: BindingScope;
  readonly subject: string;
  /** What all nodes spent: the sums that are decided on. The latest that were made for the subject. */
  sums: WindowSums;
  /** What this node spent since it began. */
  readonly own: WindowSums;
  readonly underWay: CallsUnderWay;
  readonly lines: Map<CalendarWindow, WindowLease>;
}

/** A binding cap and its lease. */
export interface CapLease {
  readonly bound: BoundCap;
  readonly line: WindowLease;
}

/** What a call is counted under: its organization and its key, their caps' leases, and its run. */
export interface LeasedCall {
  readonly subjects: readonly LeasedSubject[];
  readonly leases: readonly CapLease[];
  readonly held: HeldRun | null;
}

/** Someone who waits for a lease. `again`: the store answered and there was room, so asking again may help. */
type Waiter = (again: boolean) => void;

interface RunLease {
  readonly own: { readonly startMs: 0; spent: CallRecord['cost'] & bigint };
  readonly account: LeaseAccount;
}

export interface SpendLeasesOptions {
  readonly book: LeaseBook;
  readonly client: Pick<StoreClient, 'claimLeases'> & {
    /** Ships what this node has of the leases' cell. */
    shipNow(): void;
    /** Up to when the news of runs of the leases' cell is complete; null: never. */
    runsCurrentAt(): LeaseMoment | null;
  };
  readonly registry: RunRegistry;
  /** The node's time. */
  readonly clock: Clock;
  /** The system's wall clock, uncorrected. */
  readonly systemWallMs: () => number;
  /** Runs `task` once after `delayMs`; by default a timer that keeps no process alive. */
  readonly after?: (delayMs: number, task: () => void) => void;
}

/** For `/metrics`. */
export interface LeaseCounters {
  batches: number;
  failures: number;
  /** Calls that waited for a lease. */
  waits: number;
}

/** How often the node looks for leases that are due. */
const lookMs = 100;

export class SpendLeases {
  readonly #options: SpendLeasesOptions;
  readonly #after: (delayMs: number, task: () => void) => void;
  readonly #subjects = new Map<string, LeasedSubject>();
  readonly #runs = new WeakMap<HeldRun, RunLease>();
  /** Leases of forgotten runs, until the store has them back. A run that is held again continues with its old lease, since no run has two. */
  readonly #left = new Map<string, RunLease>();
  #waiting: Waiter[] = [];
  #looking = false;
  /** Calls that wait for a lease, and calls under way. */
  #waits = 0;
  #calls = 0;
  readonly counters: LeaseCounters = { batches: 0, failures: 0, waits: 0 };
  /** When the store last answered a claim, on the clock's monotonic side; null: never. */
  answeredMs: number | null = null;

  constructor(options: SpendLeasesOptions) {
    this.#options = options;
    this.#after = options.after ?? ((delayMs, task) => void setTimeout(task, delayMs).unref());
    options.registry.onForgotten((held) => this.#leave(held));
  }

  /** What is held for calls now. */
  held(): { readonly lease_waits: number; readonly leased_calls: number } {
    return { lease_waits: this.#waits, leased_calls: this.#calls };
  }

  get active(): number {
    return this.#options.book.active;
  }

  /** What this node knows of a subject whose sums were just made from the store's answer. */
  subject(of: Pick<LeasedSubject, 'organization' | 'scope' | 'subject'>, sums: WindowSums): LeasedSubject {
    const name = subjectName(of);
    const known = this.#subjects.get(name);
    if (known === undefined) {
      const made: LeasedSubject = { ...of, sums, own: emptySums(this.#options.clock.wallMs()), underWay: { calls: 0 }, lines: new Map() };
      this.#subjects.set(name, made);
      return made;
    }
    known.sums = sums;
    for (const { current } of known.lines.values()) if (current.validMs > 0) this.#show(current);
    return known;
  }

  /** The lease of a binding cap in its current setting; it lives as long as the node. */
  ofCap(bound: BoundCap, subject: LeasedSubject): CapLease {
    const { window } = bound.cap;
    let line = subject.lines.get(window);
    if (line === undefined) {
      line = this.#options.book.windowLease({ ...subject, window, own: subject.own[window] }, this.#options.clock.wallMs());
      subject.lines.set(window, line);
    }
    noteLimit(line.current, bound.cap.limit);
    if (line.next !== null) noteLimit(line.next, bound.cap.limit);
    return { bound, line };
  }

  /** Updates each cap: whether it is confirmed now. */
  confirm(leases: readonly CapLease[]): void {
    const now = this.#moment();
    const nowMs = this.#options.clock.wallMs();
    const { book } = this.#options;
    for (const { bound, line } of leases) {
      const before = line.current;
      const account = book.at(line, nowMs);
      // News about a window that came before the window began is applied when it begins.
      if (account !== before && account.validMs > 0) this.#show(account);
      bound.confirmed = book.admits(account, now);
    }
  }

  /** Whether a live run may be used: by its lease, or, without a budget, because the node would know of its end. */
  confirmsRun(held: HeldRun): boolean {
    if (held.run.effective === null) return runsAreCurrent(this.#options.client.runsCurrentAt(), this.#moment());
    const { account } = this.#runLease(held);
    noteLimit(account, held.run.effective);
    return this.#options.book.admits(account, this.#moment());
  }

  /**
   * Asks for what a call lacks. `answered` runs once, within `withinMs`, in any case. `again`: the store answered, and whatever is
   * still lacking had room when it was asked for; a question that was not answered in time is not a reason to ask another.
   */
  ask(leases: readonly CapLease[], held: HeldRun | null, { withinMs, answered }: { readonly withinMs: number; readonly answered: Waiter }): void {
    const { book } = this.#options;
    const accounts = leases.map(({ line }) => line.current);
    if (held !== null && held.run.effective !== null) accounts.push(this.#runLease(held).account);
    const lacking = this.#lackingOf(accounts);
    if (lacking.length === 0) return answered(false);
    for (const account of lacking) book.want(account);
    this.counters.waits += 1;
    this.#waits += 1;
    let over = false;
    const once = (again: boolean): void => {
      if (over) return;
      over = true;
      this.#waits -= 1;
      answered(again && this.#lackingOf(lacking).every(({ foundRoom, wanted }) => foundRoom || wanted));
    };
    this.#waiting.push(once);
    this.#after(withinMs, () => once(false));
    this.#look();
  }

  /** A call was admitted under these leases and is under way. */
  taken({ subjects, leases, held }: LeasedCall): void {
    const now = this.#moment();
    this.#calls += 1;
    for (const { underWay } of subjects) underWay.calls += 1;
    for (const { line } of leases) this.#options.book.used(line.current, now);
    if (held !== null) {
      const { account } = this.#runLease(held);
      account.underWay.calls += 1;
      if (held.run.effective !== null) this.#options.book.used(account, now);
    }
    this.#lookLater();
  }

  /** A call that was taken is not forwarded after all. */
  givenBack({ subjects, held }: LeasedCall): void {
    this.#calls -= 1;
    for (const { underWay } of subjects) underWay.calls -= 1;
    if (held !== null) this.#runLease(held).account.underWay.calls -= 1;
  }

  /** A call ended. Until the store has its cost, the node counts it as its own; if a lease is overrun, it is shipped at once. */
  settled(call: LeasedCall, { startedAtMs, cost }: Pick<CallRecord, 'startedAtMs' | 'cost'>): void {
    this.givenBack(call);
    if (cost === null || cost === 0n) return;
    const { subjects, leases, held } = call;
    for (const { own } of subjects) addCall(own, startedAtMs, cost);
    const { monotonicMs } = this.#moment();
    const accounts = leases.map(({ line }) => line.current);
    if (held !== null) {
      const lease = this.#runLease(held);
      lease.own.spent = nanoDollars(lease.own.spent + cost);
      if (held.run.effective !== null) accounts.push(lease.account);
    }
    let overrun = false;
    for (const account of accounts) {
      addRecent(account.recent, cost, monotonicMs);
      if (account.limit !== null && settledOf(account) > account.granted) overrun = true;
    }
    if (!overrun) return;
    this.#options.client.shipNow();
    this.#look();
  }

  /** Every held lease must be confirmed. */
  confirmSoon(): void {
    this.#options.book.confirmAll();
    this.#look();
  }

  #look(): void {
    const batch = this.#options.book.claims(this.#moment(), this.#options.clock.wallMs());
    if (batch === null) return this.#lookLater();
    const waiting = this.#waiting;
    this.#waiting = [];
    this.counters.batches += 1;
    void this.#claim(batch, waiting);
  }

  #lackingOf(accounts: readonly LeaseAccount[]): LeaseAccount[] {
    const now = this.#moment();
    return accounts.filter((account) => !this.#options.book.admits(account, now));
  }

  async #claim(batch: LeaseBatch, waiting: readonly Waiter[]): Promise<void> {
    let heard = true;
    try {
      this.#options.book.answered(batch, await this.#options.client.claimLeases(batch.number, batch.claims));
      this.answeredMs = this.#moment().monotonicMs;
      for (const account of batch.accounts) this.#show(account);
    } catch {
      heard = false;
      this.counters.failures += 1;
      this.#options.book.failed(batch);
    }
    if (this.#left.size > 0) for (const account of batch.accounts) this.#dropLeft(account);
    for (const answered of waiting) answered(heard);
    if (this.#waiting.length > 0) this.#look();
    else this.#lookLater();
  }

  #lookLater(): void {
    if (this.#looking || this.#options.book.active === 0) return;
    this.#looking = true;
    this.#after(lookMs, () => {
      this.#looking = false;
      this.#look();
    });
  }

  #show(account: LeaseAccount): void {
    const { organization, scope, subject, window } = account.subject;
    if (scope === 'run') {
      const held = this.#options.registry.find(organization, subject);
      if (held !== undefined && this.#runs.get(held)?.account === account) held.run = { ...held.run, spent: spentView(account) };
    } else if (window !== 'run') {
      const known = this.#subjects.get(subjectName({ organization, scope, subject }));
      if (known !== undefined) {
        showSpent(known.sums[window], account.subject, { spent: spentView(account), nowMs: this.#options.clock.wallMs() });
      }
    }
  }

  #runLease(held: HeldRun): RunLease {
    let lease = this.#runs.get(held);
    if (lease === undefined) {
      const { organization, id } = held.run;
      const subject: LeaseSubject = { organization, scope: 'run', subject: id, window: 'run', startMs: 0, endMs: null };
      const name = leaseName(subject);
      const own = { startMs: 0 as const, spent: nanoDollars(0n) };
      lease = this.#left.get(name) ?? { own, account: openAccount(subject, own, { calls: 0 }) };
      this.#left.delete(name);
      this.#runs.set(held, lease);
    }
    return lease;
  }

  #leave(held: HeldRun): void {
    const lease = this.#runs.get(held);
    if (lease !== undefined && this.#options.book.isActive(lease.account)) this.#left.set(leaseName(lease.account.subject), lease);
  }

  #dropLeft(account: LeaseAccount): void {
    if (account.subject.scope === 'run' && !this.#options.book.isActive(account)) this.#left.delete(leaseName(account.subject));
  }

  #moment(): LeaseMoment {
    return { monotonicMs: this.#options.clock.monotonicMs(), wallMs: this.#options.systemWallMs() };
  }
}

function subjectName({ organization, scope, subject }: Pick<LeasedSubject, 'organization' | 'scope' | 'subject'>): string {
  return `${organization} ${scope} ${subject}`;
}
