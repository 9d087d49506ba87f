/**
 * Several nodes, one store and the network between them, from one seed: what is asked of them, what befalls them, and the
 * invariants after every step. @throws Violation, naming the promise that was broken.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { answerClaim } from '@metergate/core/lease/answer.ts';
import type { LeaseMoment } from '@metergate/core/lease/account.ts';
import type { LeaseBook } from '@metergate/core/lease/book.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { keys } from './rows.ts';
import { Chance, Scheduler } from './scheduler.ts';
import { SimulatedNode } from './simulated-node.ts';
import { SimulatedStore } from './simulated-store.ts';
import { Truth } from './truth.ts';

/** How hard the world is. Probabilities from 0 to 1. */
export interface Roughness {
  /** Of a message, each way. */
  readonly lost: number;
  /** Of a message: it takes up to 400 ms instead of up to 15. */
  readonly slow: number;
  readonly shipTwice: number;
  /** Mean pause between misfortunes of the whole: crashes, freezes, cuts, clock steps. Milliseconds; null: there are none. */
  readonly misfortuneMs: number | null;
  /** How many nodes; null: two to four. */
  readonly nodes: number | null;
  /** When a limit is about to be reached, the links of one node or of all go bad for seconds: nothing passes, or late, or in any order. */
  readonly badNearLimits: boolean;
  /** The store is away from one node or from all: first slow, then out of reach, often for longer than it takes to free what they held. */
  readonly longAway: boolean;
  /** Whether there are caps. Where there are none, nothing but its own lease holds a run. */
  readonly capped: boolean;
}

/** Faults put into the product's own rules, to see that they are found. */
export interface Faults {
  readonly bookOf?: (spread: number, moment: () => LeaseMoment) => LeaseBook;
  readonly answer?: typeof answerClaim;
}

/** One request of a caller. */
export interface WorldRequest {
  readonly key: (typeof keys)[number];
  readonly run: string | null;
  readonly budget: NanoDollars | null;
  readonly ttlSeconds: number | null;
}

/** What becomes of a message that is not answered in time. */
interface Unanswered {
  readonly failed: () => void;
  readonly lateMs: number;
}

/** Links that went bad: what passes takes from so long to so long, each way. Milliseconds; null: nothing passes. */
interface BadLinks {
  readonly node: SimulatedNode | null;
  readonly delaysMs: readonly [least: number, most: number] | null;
}

export const calm: Roughness = {
  lost: 0, slow: 0, shipTwice: 0.05, misfortuneMs: null, nodes: null, badNearLimits: false, longAway: false, capped: true,
};
/** A node that has the shared store for itself. */
export const alone: Roughness = { ...calm, nodes: 1 };
/** Nothing is lost on the way, and nodes crash, freeze and are cut off. */
export const stormy: Roughness = { ...calm, misfortuneMs: 8_000 };
export const rough: Roughness = {
  lost: 0.02, slow: 0.05, shipTwice: 0.2, misfortuneMs: 4_000, nodes: null, badNearLimits: true, longAway: false, capped: true,
};
/** Nothing is wrong but the links, and those only where it hurts. */
export const cutOff: Roughness = { ...calm, badNearLimits: true };
/** The store is away for long while calls go on, fewer of them, so that many minutes pass. */
export const away: Roughness = { ...calm, longAway: true };
/** The same, with runs only. */
export const awayUncapped: Roughness = { ...away, capped: false };

export interface Outcome {
  readonly steps: number;
  readonly trace: string;
  readonly calls: number;
  readonly records: number;
  readonly grants: number;
  /** Requests that were refused because the spend could not be confirmed. */
  readonly unconfirmed: number;
  readonly simulatedSeconds: number;
  /** By how much the cap that was passed most was passed, in nano-dollars. */
  readonly passedBy: NanoDollars;
}

const midnightMs = Date.UTC(2026, 10, 21);
const recountSteps = 2_000;
/** Long enough for every lease to be found idle and given back, whatever is lost on the way. */
const returnMs = 30_000;

export class World {
  readonly chance: Chance;
  readonly scheduler = new Scheduler();
  readonly store: SimulatedStore;
  readonly truth: Truth;
  readonly rough: Roughness;
  readonly faults: Faults;
  #nodes: SimulatedNode[] = [];
  readonly #thaws = new Map<SimulatedNode, (() => void)[]>();
  unconfirmed = 0;
  #names = 0;
  #calls = 0;
  #runs = 0;
  #steps = 0;
  #quiet = false;
  #settles = false;
  #broken: { readonly cause: unknown } | null = null;
  #bad: BadLinks | null = null;

  constructor(seed: number, roughness: Roughness, faults: Faults = {}) {
    this.chance = new Chance(seed);
    this.rough = roughness;
    this.faults = faults;
    this.store = new SimulatedStore(faults.answer ?? answerClaim);
    if (!roughness.capped) this.store.limits.clear();
    this.truth = new Truth(this.store, roughness.lost === 0 && roughness.slow === 0 && !roughness.badNearLimits && !roughness.longAway);
    this.scheduler.nowMs = midnightMs - this.chance.whole(5_000, 40_000);
    const count = roughness.nodes ?? this.chance.whole(2, 4);
    for (let index = 0; index < count; index += 1) this.#begin(`home_${index}`);
    this.#load();
    this.#sweep();
    this.#raise();
    if (roughness.badNearLimits) this.#watchLimits();
    if (roughness.longAway) this.#goAway();
    if (roughness.misfortuneMs !== null) this.#misfortune(roughness.misfortuneMs);
  }

  /** Runs so many steps, then lets everything come to rest, and checks the whole. */
  async run(steps: number): Promise<Outcome> {
    while (this.#steps < steps && this.scheduler.step()) await this.#stepped();
    this.#quiet = true;
    for (let more = 0; !this.#atRest(); more += 1) {
      if (more > 2_000_000 || !this.scheduler.step()) throw new Error('the simulation does not come to rest');
      await this.#stepped();
    }
    for (const untilMs = this.scheduler.nowMs + returnMs; this.scheduler.nowMs < untilMs && this.scheduler.step();) await this.#stepped();
    this.store.recount();
    this.truth.assertRecorded();
    this.store.assertReturned(this.scheduler.nowMs);
    return {
      steps: this.#steps, trace: this.scheduler.trace, calls: this.#calls, records: this.store.records.size, grants: this.store.grants,
      unconfirmed: this.unconfirmed,
      simulatedSeconds: Math.round((this.scheduler.nowMs - midnightMs) / 1_000), passedBy: this.truth.passedBy,
    };
  }

  storeMs(): number {
    return this.scheduler.nowMs;
  }

  nextCall(): string {
    this.#calls += 1;
    return `call_${this.#calls}`;
  }

  costOf(): NanoDollars | null {
    if (this.chance.happens(0.05)) return null;
    const cost = this.chance.happens(0.001) ? this.chance.whole(5_000, 30_000)
      : this.chance.happens(0.02) ? this.chance.whole(50, 400) : this.chance.whole(0, 40);
    return nanoDollars(BigInt(cost));
  }

  /**
   * There and back: `work` is done at the store, once, unless the way there fails; the way back may fail after it was done. After
   * `lateMs` without an answer it failed, and an answer that comes later is not heard.
   */
  send<Answer>(
    from: SimulatedNode, work: () => Answer, answered: (answer: Answer) => void, { failed, lateMs }: Unanswered,
  ): void {
    let over = false;
    const once = (run: () => void): void => {
      if (over || !from.alive) return;
      if (from.frozen) return this.whenThawed(from, () => once(run));
      over = true;
      run();
    };
    this.scheduler.after(lateMs, () => once(failed));
    const there = this.#delayOf(from);
    if (there === null) return;
    this.scheduler.after(there, () => {
      const answer = work();
      const back = this.#delayOf(from);
      if (back !== null) this.scheduler.after(back, () => once(() => answered(answer)));
    });
  }

  /** A promise was settled: what waits for it goes on before the next step. */
  settle(): void {
    this.#settles = true;
  }

  /** Something of the product threw where nobody hears it. */
  broke(cause: unknown): void {
    this.#broken ??= { cause };
  }

  whenThawed(node: SimulatedNode, run: () => void): void {
    const waiting = this.#thaws.get(node) ?? [];
    this.#thaws.set(node, waiting);
    waiting.push(run);
  }

  /** How long a message is under way; null: it is lost. */
  #delayOf(node: SimulatedNode): number | null {
    const bad = this.#bad !== null && (this.#bad.node ?? node) === node ? this.#bad : null;
    if (node.cut || bad?.delaysMs === null || this.chance.happens(this.rough.lost)) return null;
    return bad === null ? this.#usualDelayMs() : this.chance.whole(...bad.delaysMs);
  }

  #usualDelayMs(): number {
    if (this.chance.happens(this.rough.lost / 4)) return this.chance.whole(800, 3_000);
    return this.chance.happens(this.rough.slow) ? this.chance.whole(50, 400) : this.chance.whole(1, 15);
  }

  #begin(home: string): void {
    this.#names += 1;
    const name = `node_${this.#names}`;
    this.store.beginNode(name, home, this.storeMs());
    this.#nodes.push(new SimulatedNode(this, home, name));
  }

  #load(): void {
    this.scheduler.after(this.chance.whole(1, this.rough.longAway ? 150 : 25), () => {
      if (!this.#quiet) {
        if (this.#runs === 0 || this.chance.happens(this.rough.capped ? 0.01 : 0.003)) this.#runs += 1;
        const inRun = this.chance.happens(0.4);
        const run = inRun ? `run_${Math.max(1, this.#runs - this.chance.whole(0, 2))}` : null;
        // A budget that no call tightens can be checked throughout.
        const budget = !inRun ? null : this.rough.capped ? this.#anyBudget() : nanoDollars(20_000n);
        const node = this.#nodes[this.chance.whole(0, this.#nodes.length - 1)]!;
        const ttlSeconds = inRun && this.chance.happens(0.3) ? this.chance.whole(5, 60) : null;
        node.request({ key: keys[this.chance.whole(0, keys.length - 1)]!, run, budget, ttlSeconds });
        if (this.chance.happens(0.002)) this.store.endRun(`run_${this.#runs}`, 'closed', this.storeMs());
      }
      this.#load();
    });
  }

  #anyBudget(): NanoDollars | null {
    return this.chance.happens(0.6) ? nanoDollars(BigInt(this.chance.whole(1_000, 6_000))) : null;
  }

  #sweep(): void {
    this.scheduler.after(5_000, () => {
      for (const node of this.store.sweep(this.storeMs())) this.scheduler.note(`freed ${node}`);
      this.#sweep();
    });
  }

  /** Every half minute or so an operator raises what is reached; nodes hear of it within a second. */
  #raise(): void {
    this.scheduler.after(this.chance.whole(10_000, 50_000), () => {
      for (const [id, limit] of this.store.limits) this.store.limits.set(id, nanoDollars(limit + BigInt(this.chance.whole(0, 60_000))));
      this.truth.raised();
      for (const node of this.#nodes) this.scheduler.after(this.chance.whole(1, 1_000), () => node.followLimits());
      this.#raise();
    });
  }

  #watchLimits(): void {
    this.scheduler.after(50, () => {
      const runs = [0, 1, 2].map((back) => `run_${this.#runs - back}`);
      if (this.#bad === null && !this.#quiet && this.chance.happens(0.1) && this.truth.isNearLimit(runs, this.storeMs())) this.#spoilLinks();
      this.#watchLimits();
    });
  }

  #spoilLinks(): void {
    const node = this.chance.happens(0.4) ? this.#nodes[this.chance.whole(0, this.#nodes.length - 1)]! : null;
    const delaysMs = ([null, [45, 55], [195, 205], [950, 1_050], [1, 1_500]] as const)[this.chance.whole(0, 4)]!;
    const lastsMs = this.chance.whole(200, 6_000);
    this.#bad = { node, delaysMs };
    this.scheduler.note(`links ${node?.name ?? 'all'} ${delaysMs?.join(' to ') ?? 'cut'} ${lastsMs}`);
    this.scheduler.after(lastsMs, () => { this.#bad = null; });
  }

  /** An answer that was long under way is the last for a while: shorter or longer than leases are valid, or until they were freed. */
  #goAway(): void {
    this.scheduler.after(this.chance.whole(3_000, 12_000), () => {
      if (this.#quiet) return;
      const node = this.chance.happens(0.7) ? this.#nodes[this.chance.whole(0, this.#nodes.length - 1)]! : null;
      const lastsMs = this.chance.happens(0.3) ? this.chance.whole(136_000, 160_000) : this.chance.whole(4_000, 20_000);
      this.#bad = { node, delaysMs: [300, 480] };
      this.scheduler.note(`away ${node?.name ?? 'all'} ${lastsMs}`);
      this.scheduler.after(this.chance.whole(1_000, 4_000), () => {
        this.#bad = { node, delaysMs: null };
        this.scheduler.after(lastsMs, () => {
          this.#bad = null;
          this.#goAway();
        });
      });
    });
  }

  #misfortune(meanMs: number): void {
    this.scheduler.after(this.chance.whole(1, 2 * meanMs), () => {
      const node = this.#nodes[this.chance.whole(0, this.#nodes.length - 1)]!;
      if (!this.#quiet && node.alive && !node.frozen && !node.cut && !node.stopping) this.#befall(node);
      this.#misfortune(meanMs);
    });
  }

  #befall(node: SimulatedNode): void {
    const lastsMs = this.chance.happens(0.05) ? this.chance.whole(130_000, 200_000) : this.chance.whole(50, 12_000);
    const kind = (['crash', 'freeze', 'suspend', 'cut', 'clock', 'stop'] as const)[this.chance.whole(0, 5)]!;
    this.scheduler.note(`${kind} ${node.name} ${lastsMs}`);
    if (kind === 'clock') return node.clock.stepWall(this.chance.whole(-7_200_000, 7_200_000));
    this.truth.troubles += 1;
    const over = (): void => {
      this.truth.troubles -= 1;
      this.truth.troubledMs = this.scheduler.nowMs;
    };
    if (kind === 'freeze' || kind === 'suspend') {
      node.frozen = true;
      this.scheduler.after(lastsMs, () => {
        over();
        node.frozen = false;
        if (kind === 'suspend') node.clock.suspended(lastsMs);
        const waiting = this.#thaws.get(node) ?? [];
        this.#thaws.delete(node);
        waiting.forEach((run) => run());
      });
    } else if (kind === 'cut') {
      node.cut = true;
      this.scheduler.after(lastsMs, () => {
        over();
        node.cut = false;
      });
    } else if (kind === 'crash') {
      node.alive = false;
      this.scheduler.after(lastsMs, () => this.#restart(node, over));
    } else {
      this.#stop(node, over);
    }
  }

  /** No new calls; what is open ends, all is shipped, leases are given back; then a new process on the same directory. */
  #stop(node: SimulatedNode, over: () => void): void {
    node.stopping = true;
    const look = (): void => {
      if (node.openCalls > 0 || !node.journal.shippedAll) return this.scheduler.after(50, look);
      const ended = (): void => {
        node.alive = false;
        this.#restart(node, over);
      };
      this.send(node, () => this.store.endNode(node.name), ended, { failed: ended, lateMs: 1_000 });
    };
    look();
  }

  /** Recovery, before it is ready: what was left open is closed, everything shipped, the dead process's leases returned. */
  #restart(dead: SimulatedNode, over: () => void): void {
    dead.interruptOpen();
    const { segment, rows } = dead.journal;
    this.store.ship(segment, rows.length, rows, this.scheduler.nowMs);
    this.#nodes = this.#nodes.filter((each) => each !== dead);
    this.#begin(dead.home);
    over();
  }

  #atRest(): boolean {
    return this.truth.troubles === 0 && this.#nodes.every((node) => node.alive && node.openCalls === 0 && node.journal.shippedAll);
  }

  async #stepped(): Promise<void> {
    this.#steps += 1;
    if (this.#settles) {
      this.#settles = false;
      await turn();
    }
    if (this.#broken !== null) throw this.#broken.cause;
    if (this.#steps % recountSteps === 0) this.store.recount();
  }
}
