/**
 * A gateway node of the simulation: two clocks, a journal that outlives it, held sums and runs, and core's own rules for caps,
 * runs and leases. It loses everything but the journal when it crashes; frozen, it does nothing, and its clocks go on.
 */
import { LeaseBook, type LeaseBatch, type WindowLease } from '@metergate/core/lease/book.ts';
import { heardLately, openAccount, spentView, type LeaseAccount, type LeaseMoment } from '@metergate/core/lease/account.ts';
import { addRecent } from '@metergate/core/lease/recent-spend.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { afterCall, decideRun, endedAs, tightenedTo, type Run } from '@metergate/core/run/run.ts';
import { bindCap, bindingCapsOf, decideCaps, type BoundCap } from '@metergate/core/spend/cap-decision.ts';
import { addCall, emptySums, showSpent, type WindowSums } from '@metergate/core/spend/spend-sum.ts';
import { caps, keys, organization, runSubject, type SimulatedCall } from './rows.ts';
import type { CalendarWindow } from '@metergate/core/spend/window.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { SimulatedJournal } from './simulated-journal.ts';
import type { World } from './world.ts';

interface HeldRun {
  run: Run;
  readonly own: { startMs: number; spent: NanoDollars };
  readonly account: LeaseAccount;
}

interface Standing {
  readonly sums: WindowSums;
  readonly own: WindowSums;
  readonly lines: Map<CalendarWindow, WindowLease>;
}

interface Bound {
  readonly bound: BoundCap;
  readonly line: WindowLease;
}

interface Request {
  readonly key: (typeof keys)[number];
  readonly run: string | null;
  readonly budget: NanoDollars | null;
  /** How often the store was asked for it. */
  asked: number;
}

type Verdict = 'admitted' | 'refused' | 'ask';

export class SimulatedNode {
  readonly home: string;
  readonly name: string;
  readonly clock: SimulatedClock;
  readonly journal: SimulatedJournal;
  readonly #world: World;
  readonly #book: LeaseBook;
  readonly #organization: Standing;
  readonly #keys = new Map<string, Standing>();
  readonly #bound = new Map<string, readonly Bound[]>();
  readonly #runs = new Map<string, HeldRun>();
  readonly #open = new Set<string>();
  #feed = 0;
  #changesSeen: number;
  #heard: LeaseMoment | null = null;
  #waiting: (() => void)[] = [];
  #forgotten = false;
  alive = true;
  frozen = false;
  /** Cut off from the store. */
  cut = false;
  stopping = false;

  constructor(world: World, home: string, name: string) {
    this.home = home;
    this.name = name;
    this.journal = new SimulatedJournal(world, this);
    this.#world = world;
    this.clock = new SimulatedClock(world);
    this.#book = new LeaseBook(world.chance.fraction());
    const nowMs = this.clock.nowMs();
    this.#organization = { sums: emptySums(nowMs), own: emptySums(nowMs), lines: new Map() };
    this.#changesSeen = world.store.runChanges.length;
    this.#feed = world.store.feed;
    for (const key of keys) this.#hold(key, nowMs);
    this.#every(100, 20, () => this.#pump());
    this.#every(150, 100, () => this.journal.ship());
    this.#every(200, 50, () => this.#beat());
  }

  /** Hears what the operator set. */
  followLimits(): void {
    for (const key of keys) this.#bind(key, this.clock.nowMs());
  }

  get openCalls(): number {
    return this.#open.size;
  }

  request(request: Omit<Request, 'asked'>): void {
    if (this.alive && !this.frozen && !this.stopping) this.#decide({ ...request, asked: 0 });
  }

  /** Closes what a crash left open, as the next start does: no one knows what it cost. */
  interruptOpen(): void {
    for (const call of this.journal.opened()) if (this.#open.delete(call.id)) this.journal.write({ kind: 'closed', call, cost: null });
  }

  /** Gives back every lease; calls back when the store has it. */
  returnLeases(done: () => void): void {
    const batch = this.#book.claimsAtEnd(this.clock.moment());
    if (batch === null) return done();
    const { store } = this.#world;
    this.#world.send(this, () => store.claim(this.name, batch.number, { claims: batch.claims, nowMs: this.#world.storeMs() }), done, done);
  }

  #decide(request: Request): void {
    const verdict = this.#verdict(request);
    this.#world.scheduler.note(`${this.name} ${request.key} ${request.run ?? '-'} ${verdict}`);
    if (verdict === 'admitted') this.#admit(request);
    else if (verdict === 'ask' && request.asked < 20) this.#ask(request);
    else if (verdict === 'ask') this.#world.unconfirmed += 1;
  }

  #verdict({ key, run, budget }: Request): Verdict {
    const nowMs = this.clock.nowMs();
    const now = this.clock.moment();
    const bound = this.#bound.get(key)!;
    for (const { bound: cap, line } of bound) {
      const before = line.current;
      const account = this.#book.at(line, nowMs);
      if (account !== before && account.validMs > 0) this.#show(account);
      cap.confirmed = this.#book.admits(account, now);
    }
    const refusal = decideCaps(bound.map((each) => each.bound), nowMs);
    if (refusal?.kind === 'cap_reached') {
      const reached = bound.find(({ bound: { cap } }) => cap.scope === refusal.scope && cap.window === refusal.window)!;
      this.#world.truth.refused(this.name, reached.line.current.subject, reached.bound.cap.limit);
      return 'refused';
    }
    if (run !== null) {
      const held = this.#runs.get(run);
      if (held === undefined) return 'ask';
      const verdict = decideRun(held.run, { budget }, nowMs);
      if (verdict.kind !== 'admitted') {
        if (verdict.ends === 'over_budget') this.#world.truth.refused(this.name, held.account.subject, verdict.tightenTo ?? held.run.effective!);
        if (verdict.ends !== null) {
          held.run = endedAs(held.run, verdict.ends, nowMs);
          this.journal.write({ kind: 'ended', run, state: verdict.ends, atMs: nowMs });
        }
        return 'refused';
      }
      if (held.run.effective === null ? !heardLately(this.#heard, now) : !this.#book.admits(held.account, now)) return 'ask';
    }
    return refusal === null ? 'admitted' : 'ask';
  }

  #ask(request: Request): void {
    const world = this.#world;
    const { key, run: id } = request;
    request.asked += 1;
    let waits = 0;
    const waiter = (): (() => void) => {
      waits += 1;
      return () => {
        waits -= 1;
        if (waits === 0 && this.alive && !this.frozen) this.#decide(request);
      };
    };
    const held = id === null ? undefined : this.#runs.get(id);
    if (id !== null && held === undefined) {
      const told = waiter();
      const wanted = world.newRun(id, request.budget, this.clock.nowMs());
      world.send(this, () => world.store.openRun(wanted), (stored) => {
        this.#holdRun(stored);
        told();
      }, () => {});
    }
    const now = this.clock.moment();
    const nowMs = this.clock.nowMs();
    const accounts = this.#bound.get(key)!.map(({ line }) => this.#book.at(line, nowMs));
    if (held !== undefined && held.run.effective !== null) accounts.push(held.account);
    const lacking = accounts.filter((account) => !this.#book.admits(account, now));
    if (lacking.length === 0) {
      // A run without a budget whose end could not be heard of: nothing that is asked helps.
      if (waits === 0) world.unconfirmed += 1;
      return;
    }
    for (const account of lacking) this.#book.want(account);
    this.#waiting.push(waiter());
    this.#pump();
  }

  #admit({ key, run, budget }: Request): void {
    const world = this.#world;
    const now = this.clock.moment();
    const call: SimulatedCall = { id: world.nextCall(), node: this.name, key, run, startedAtMs: this.clock.nowMs() };
    for (const { line } of this.#bound.get(key)!) this.#book.used(line.current, now);
    const held = run === null ? undefined : this.#runs.get(run)!;
    if (held !== undefined) {
      this.#book.used(held.account, now);
      if (budget !== null) {
        const tightened = tightenedTo(held.run, budget);
        if (tightened !== held.run) this.journal.write({ kind: 'tightened', run: held.run.id, budget });
        held.run = tightened;
      }
    }
    world.truth.admitted(call, world.scheduler.nowMs);
    for (const { line } of this.#bound.get(key)!) world.truth.goesBy(this.name, line.current);
    if (held !== undefined && held.run.effective !== null) world.truth.goesBy(this.name, held.account);
    this.#open.add(call.id);
    this.journal.write({ kind: 'opened', call });
    const cost = world.chance.happens(0.05) ? null : nanoDollars(BigInt(world.costOf()));
    world.scheduler.after(world.chance.whole(5, 900), () => this.#whenAwake(() => this.#close(call, cost)));
  }

  #close(call: SimulatedCall, cost: NanoDollars | null): void {
    if (!this.#open.delete(call.id)) return;
    this.journal.write({ kind: 'closed', call, cost });
    this.#world.truth.closed(call, cost, this.#world.scheduler.nowMs);
    const { monotonicMs } = this.clock.moment();
    for (const { sums, own } of [this.#organization, this.#keys.get(call.key)!]) {
      addCall(sums, call.startedAtMs, cost);
      addCall(own, call.startedAtMs, cost);
    }
    for (const { line } of this.#bound.get(call.key)!) addRecent(line.current.recent, cost ?? nanoDollars(0n), monotonicMs);
    const held = call.run === null ? undefined : this.#runs.get(call.run);
    if (held !== undefined) {
      held.run = afterCall(held.run, { cost, usageUnknown: cost === null, gap: false });
      held.own.spent = nanoDollars(held.own.spent + (cost ?? 0n));
      addRecent(held.account.recent, cost ?? nanoDollars(0n), monotonicMs);
    }
    this.#world.scheduler.after(30, () => this.#whenAwake(() => this.journal.ship()));
  }

  #pump(): void {
    const batch = this.#book.claims(this.clock.moment(), this.clock.nowMs());
    if (batch === null) return;
    const waiting = this.#waiting.splice(0);
    let over = false;
    const world = this.#world;
    const once = (run: () => void) => (): void => {
      if (over || !this.alive) return;
      over = true;
      run();
      waiting.forEach((answered) => answered());
      if (this.#waiting.length > 0) this.#pump();
    };
    world.send(this, () => world.store.claim(this.name, batch.number, { claims: batch.claims, nowMs: world.storeMs() }),
      (answers) => once(() => this.#take(batch, answers))(), () => once(() => this.#book.failed(batch))());
  }

  #take(batch: LeaseBatch, answers: ReturnType<World['store']['claim']>): void {
    this.#forgotten = answers === null;
    if (answers === null) return this.#book.failed(batch);
    this.#book.answered(batch, answers);
    for (const account of batch.accounts) this.#show(account);
  }

  #show(account: LeaseAccount): void {
    const { subject } = account;
    const spent = spentView(account);
    if (subject.scope === 'run') {
      const held = this.#runs.get(subject.subject)!;
      held.run = { ...held.run, spent };
      return;
    }
    const standing = subject.scope === 'organization' ? this.#organization : this.#keys.get(subject.subject)!;
    if (subject.window !== 'run') showSpent(standing.sums[subject.window], subject, { spent, nowMs: this.clock.nowMs() });
  }

  #beat(): void {
    const world = this.#world;
    const from = this.#changesSeen;
    const asked = this.clock.moment();
    world.send(this, () => {
      const heard = world.store.heartbeat(this.name, world.storeMs());
      const changed = world.store.runChanges.slice(from);
      return { heard, storeMs: world.storeMs(), changed: changed.map((id) => world.store.runs.get(id)!), through: from + changed.length };
    }, ({ heard, storeMs, changed, through }) => {
      if (heard === null) {
        this.#forgotten = true;
        return;
      }
      this.clock.follow(storeMs);
      this.#changesSeen = Math.max(this.#changesSeen, through);
      for (const run of changed) this.#runChanged(run);
      this.#heard = asked;
      if (heard.feed === this.#feed) return;
      this.#feed = heard.feed;
      this.#book.confirmAll();
      this.#pump();
    }, () => {});
  }

  #runChanged(run: Run): void {
    const held = this.#runs.get(run.id);
    if (held === undefined || held.run.state !== 'live') return;
    held.run = run.state === 'live' ? (run.effective === null ? held.run : tightenedTo(held.run, run.effective))
      : endedAs(held.run, run.state, run.endedAtMs ?? this.clock.nowMs());
  }

  #hold(key: (typeof keys)[number], nowMs: number): void {
    const standing: Standing = { sums: emptySums(nowMs), own: emptySums(nowMs), lines: new Map() };
    this.#keys.set(key, standing);
    this.#bind(key, nowMs);
  }

  #bind(key: (typeof keys)[number], nowMs: number): void {
    const standing = this.#keys.get(key)!;
    const inForce = caps.map((cap) => ({ ...cap, limit: this.#world.store.limits.get(cap.id)! }));
    this.#bound.set(key, bindingCapsOf(inForce, key, true).map((cap) => {
      const of = cap.scope === 'key' ? standing : this.#organization;
      const line = of.lines.get(cap.window) ?? this.#book.windowLease({
        organization, scope: cap.scope, subject: cap.subject ?? '', window: cap.window, own: of.own[cap.window], underWay: { calls: 0 },
      }, nowMs);
      of.lines.set(cap.window, line);
      return { bound: bindCap(cap, of.sums), line };
    }));
  }

  #holdRun(run: Run): void {
    if (this.#runs.has(run.id)) return;
    const own = { startMs: 0, spent: nanoDollars(0n) };
    this.#runs.set(run.id, { run, own, account: openAccount(runSubject(run.id), own, { calls: 0 }) });
  }

  /** Frozen: when it is thawed. Dead: never. */
  #whenAwake(run: () => void): void {
    if (this.alive && this.frozen) this.#world.whenThawed(this, () => this.#whenAwake(run));
    else if (this.alive) run();
  }

  #every(pauseMs: number, spreadMs: number, run: () => void): void {
    const again = (): void => {
      if (!this.alive) return;
      this.#world.scheduler.after(pauseMs + this.#world.chance.whole(0, spreadMs), () => this.#whenAwake(() => {
        if (!this.#forgotten) run();
        again();
      }));
    };
    again();
  }
}
