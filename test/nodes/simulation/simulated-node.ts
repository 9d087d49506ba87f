/**
 * A gateway node of the simulation: the product's own guards, runs and leases, on clocks that may be wrong, a journal that outlives it
 * and a store behind a network. It loses everything but the journal when it crashes; frozen, it does nothing, and its clocks go on.
 */
import { LeaseBook } from '@metergate/core/spend/lease/book.ts';
import type { LeaseAnswer, LeaseMoment } from '@metergate/core/spend/lease/account.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { emptySums } from '@metergate/core/spend/spend-sum.ts';
import { isEnded, type Run } from '@metergate/core/run/run.ts';
import type { OrganizationSettings } from '@metergate/core/account/settings.ts';
import { askAndDecide } from '@metergate/gateway/guards/ask-and-decide.ts';
import { Guards, type GuardedCall } from '@metergate/gateway/guards/guards.ts';
import type { HeldKey } from '@metergate/gateway/guards/held-key.ts';
import { RunRegistry } from '@metergate/gateway/guards/run-registry.ts';
import { Runs, type RunCall, type RunsOptions } from '@metergate/gateway/guards/runs.ts';
import { SpendLeases, type SpendLeasesOptions } from '@metergate/gateway/guards/spend-leases.ts';
import { follow, Standings, type KeyStanding } from '@metergate/gateway/guards/standing.ts';
import type { RunAnswer } from '@metergate/store/runs/make-runs.ts';
import type { StoreClient } from '@metergate/store/desk/store-client.ts';
import { capSubject, caps, keys, organization, runSubject, type SimulatedCall } from './rows.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { SimulatedJournal } from './simulated-journal.ts';
import type { World, WorldRequest } from './world.ts';

/** As the store's client has it: how long a batch of claims and a question for a run may take. Often it is known sooner that a batch failed. */
const claimMs = 5_000;
const failedMs = 1_000;
const askRunMs = 250;
/** Of a heartbeat. */
const beatMs = 1_000;
const runsMax = 10_000;

interface OpenCall {
  readonly call: SimulatedCall;
  readonly guarded: GuardedCall;
}

export class SimulatedNode {
  readonly home: string;
  readonly name: string;
  readonly clock: SimulatedClock;
  readonly journal: SimulatedJournal;
  readonly #world: World;
  readonly #book: LeaseBook;
  readonly #leases: SpendLeases;
  readonly #runs: Runs;
  readonly #guards: Guards;
  readonly #standings = new Map<string, KeyStanding>();
  #held = new Map<string, HeldKey>();
  readonly #open = new Map<string, OpenCall>();
  #feed: number;
  #changesSeen: number;
  #lastHeartbeat: LeaseMoment | null = null;
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
    const clock = this.clock = new SimulatedClock(world);
    const registry = new RunRegistry(runsMax);
    const client = this.#client();
    const spread = world.chance.fraction();
    this.#book = world.faults.bookOf?.(spread, () => clock.moment()) ?? new LeaseBook(spread);
    const leases: SpendLeasesOptions = {
      book: this.#book, client, registry, clock, systemWallMs: () => clock.systemWallMs(),
      after: (delayMs, task) => world.scheduler.after(delayMs, () => this.#whenAwake(task)),
    };
    this.#leases = world.faults.leasesOf?.(leases) ?? new SpendLeases(leases);
    const runs: RunsOptions = { registry, journal: this.#runJournal(), store: client, clock };
    this.#runs = world.faults.runsOf?.(runs) ?? new Runs(runs);
    this.#guards = new Guards(clock, this.#runs, this.#leases);
    const standings = new Standings(() => clock.monotonicMs(), { rateLimitFaults: 0 }, this.#leases);
    for (const key of keys) this.#standings.set(key, standings.of(this.#answerOf(key)));
    this.followLimits();
    this.#changesSeen = world.store.runChanges.length;
    this.#feed = world.store.feed;
    // A node serves nobody before it has had an answer from the store.
    this.#lastHeartbeat = clock.moment();
    this.#every(150, 100, () => this.journal.ship());
    this.#every(200, 50, () => this.#beat());
  }

  /** Hears what the operator set. */
  followLimits(): void {
    const settings = this.#settings();
    this.#held = new Map(keys.map((key) => {
      const standing = this.#standings.get(key)!;
      follow(standing, settings, { id: key, person: null });
      return [key, { key: this.#answerOf(key).key, organization: settings, standing }];
    }));
  }

  get openCalls(): number {
    return this.#open.size;
  }

  request({ key, run, budget, ttlSeconds }: WorldRequest): void {
    if (!this.alive || this.frozen || this.stopping) return;
    const held = this.#held.get(key)!;
    const runCall: RunCall | null = run === null ? null
      : { held, declaration: { id: run, budget, ttlSeconds, grant: null }, grant: null, run: null, asked: null };
    const guarded: GuardedCall = { held, estimate: 1, runCall, unmetered: null, taken: null, labels: [] };
    const decision = this.#guards.decide(guarded);
    if (decision === null) return this.#admit(guarded);
    askAndDecide({ guards: this.#guards, clock: this.clock }, guarded, decision, {
      isWanted: () => this.alive && !this.frozen && !this.stopping,
      admitted: () => this.#admit(guarded),
      refused: (refusal) => this.#refuse(guarded, refusal),
      left: () => this.#guards.giveBack(guarded),
      broke: (cause) => this.#world.broke(cause),
    });
  }

  /** Closes what a crash left open, as the next start does: no one knows what it cost. */
  interruptOpen(): void {
    for (const call of this.journal.opened()) {
      if (!this.#open.delete(call.id)) continue;
      this.#world.truth.interrupted(call);
      this.journal.write({ kind: 'closed', call, cost: null });
    }
  }

  #refuse(guarded: GuardedCall, refusal: Refusal): void {
    const { truth } = this.#world;
    this.#guards.giveBack(guarded);
    this.#world.scheduler.note(`${this.name} ${guarded.held.key.id} ${refusal.kind}`);
    if (refusal.kind === 'run_over_budget' || refusal.kind === 'run_expired' || refusal.kind === 'run_closed') {
      this.#world.reportedEnded(this, guarded.runCall!.declaration.id);
    }
    if (refusal.kind === 'cap_reached') {
      const cap = caps.find(({ scope, window }) => scope === refusal.scope && window === refusal.window)!;
      const limit = this.#held.get(guarded.held.key.id)!.organization.caps.find(({ id }) => id === cap.id)!.limit;
      truth.refused(this.name, capSubject(cap, this.clock.wallMs()), limit);
    } else if (refusal.kind === 'run_over_budget') {
      truth.refusedRun(this.name, runSubject(guarded.runCall!.declaration.id), guarded.runCall!.run!.run.effective!);
    } else if (refusal.kind === 'cap_unconfirmed' || (refusal.kind === 'run_unconfirmed' && !this.#endsElsewhere(guarded))) {
      this.#world.unconfirmed += 1;
    }
  }

  /** The store confirms an ended run no more, and the node learns of its end at its next look at the feed. */
  #endsElsewhere({ runCall }: GuardedCall): boolean {
    const run = this.#world.store.runs.get(runCall!.declaration.id);
    return run !== undefined && isEnded(run);
  }

  #admit(guarded: GuardedCall): void {
    const world = this.#world;
    this.#guards.take(guarded);
    const call: SimulatedCall = {
      id: world.nextCall(), node: this.name, key: guarded.held.key.id, run: guarded.runCall?.declaration.id ?? null,
      startedAtMs: this.clock.wallMs(), cost: world.costOf(),
    };
    world.scheduler.note(`${this.name} ${call.id} admitted`);
    world.truth.admitted(call, guarded.runCall?.declaration.budget ?? null, world.scheduler.nowMs);
    this.#open.set(call.id, { call, guarded });
    this.journal.write({ kind: 'opened', call });
    this.#guards.opened(guarded);
    world.scheduler.after(world.durationMs(), () => this.#whenAwake(() => this.#close(call)));
  }

  #close(call: SimulatedCall): void {
    const { guarded } = this.#open.get(call.id) ?? {};
    if (guarded === undefined) return;
    this.#open.delete(call.id);
    const { cost, startedAtMs } = call;
    this.journal.write({ kind: 'closed', call, cost });
    this.#world.truth.closed(call, this.#world.scheduler.nowMs);
    this.#guards.settle(guarded, {
      status: 200, usage: cost === null ? 'unknown' : 'reported', inputTokens: 1, outputTokens: 0, cost, costGaps: [], startedAtMs,
    } as Partial<CallRecord> as CallRecord);
    this.#world.scheduler.after(30, () => this.#whenAwake(() => this.journal.ship()));
  }

  #client(): SpendLeasesOptions['client'] & Pick<StoreClient, 'askRun' | 'claimRun' | 'confirmRun' | 'isNewRun'> {
    const world = this.#world;
    return {
      claimLeases: (number, claims) => new Promise((resolve, reject) => {
        // Whoever claims takes what is thrown here for a store that is away.
        try {
          for (const claim of claims) world.truth.claimed(this.name, claim, world.scheduler.nowMs);
        } catch (cause) {
          world.broke(cause);
        }
        const late = this.#lateBatch();
        world.send(this, () => world.store.claim(this.name, number, { claims, nowMs: world.storeMs() }), (answers) => {
          this.#forgotten = answers === null;
          if (answers === null) reject(new Error('forgotten'));
          else resolve(answers);
          world.settle();
        }, { late, lateMs: world.chance.happens(0.5) ? claimMs : failedMs, failed: () => {
          reject(new Error('away'));
          world.settle();
        } });
      }),
      askRun: (run, late) => new Promise((resolve, reject) => {
        const seen = this.#changesSeen;
        // Changes that came in meanwhile are newer: the store's thread then reads the run again.
        const answerOf = (found: Run): RunAnswer =>
          ({ kind: 'run', run: this.#changesSeen === seen ? found : world.store.runs.get(found.id)!, created: false, confirmed: true });
        world.send(this, () => world.store.openRun(run), (found) => {
          resolve(answerOf(found));
          world.settle();
        }, { late: (found) => late?.(answerOf(found)), lateMs: askRunMs, failed: () => {
          reject(new Error('away'));
          world.settle();
        } });
      }),
      shipNow: () => this.journal.ship(),
      // The store is shared: no node begins a run by itself.
      claimRun: () => false,
      isNewRun: () => false,
      confirmRun: () => {},
      runsCurrentAt: () => this.#lastHeartbeat,
    };
  }

  /** What takes in the answer to the batch that is being asked now, should it be late. */
  #lateBatch(): ((answers: readonly LeaseAnswer[] | null) => void) | undefined {
    const hearLate = this.#world.faults.lateFor?.(this.#book);
    return hearLate === undefined ? undefined : (answers) => {
      if (answers !== null) hearLate(answers);
    };
  }

  #runJournal(): { endRun: RunJournal['endRun']; tightenRun: RunJournal['tightenRun'] } {
    return {
      endRun: ({ run, state, atMs }, done) => {
        this.journal.write({ kind: 'ended', run, state, atMs });
        done(null);
      },
      tightenRun: ({ run, effective }, done) => {
        this.journal.write({ kind: 'tightened', run, budget: effective! });
        done(null);
      },
    };
  }

  #beat(): void {
    const world = this.#world;
    const from = this.#changesSeen;
    const asked = this.clock.moment();
    world.send(this, () => {
      const heartbeat = world.store.heartbeat(this.name, world.storeMs());
      const changed = world.store.runChanges.slice(from);
      return { heartbeat, storeMs: world.storeMs(), changed: changed.map((id) => world.store.runs.get(id)!), through: from + changed.length };
    }, ({ heartbeat, storeMs, changed, through }) => {
      if (heartbeat === null) {
        this.#forgotten = true;
        return;
      }
      this.clock.follow(storeMs);
      this.#changesSeen = Math.max(this.#changesSeen, through);
      for (const run of changed) this.#runChanged(run);
      this.#lastHeartbeat = asked;
      if (heartbeat.feed === this.#feed) return;
      this.#feed = heartbeat.feed;
      this.#leases.confirmSoon();
    }, { failed: () => {}, lateMs: beatMs });
  }

  #runChanged(run: Run): void {
    if (isEnded(run)) {
      this.#world.truth.knowsEnd(this.name, run.id);
      this.#runs.endedElsewhere(run);
    } else this.#runs.tightenedElsewhere(run);
  }

  #answerOf(key: (typeof keys)[number]): Parameters<Standings['of']>[0] {
    const nowMs = this.clock.wallMs();
    return {
      key: { id: key, organization, project: null, expiresAtMs: null, maxRunBudget: null, models: null, person: null },
      organization: this.#settings(), capped: [],
      spend: { organization: emptySums(nowMs), key: emptySums(nowMs) },
    };
  }

  #settings(): OrganizationSettings {
    return {
      id: organization, plan: 'enterprise', openai: { state: 'missing' }, anthropic: { state: 'missing' }, upstream: null,
      upstreams: [], fallbackPrice: null,
      drainSeconds: null, agreedFigures: { requestsPerMinute: 1e9, tokensPerMinute: 1e9 }, enforceKeyCaps: true, unmetered: null,
      wrongBaseUrl: 'forward', models: null, grantKeys: [],
      caps: caps.flatMap((cap) => {
        const limit = this.#world.store.limits.get(cap.id);
        return limit === undefined ? [] : [{ ...cap, limit }];
      }),
      runPolicy: { maxRunBudget: null, runCeiling: null, runExposure: null },
    };
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

type RunJournal = ConstructorParameters<typeof Runs>[0]['journal'];
