/**
 * Several nodes, one store and the network between them, from one seed: the calls they get, the faults they suffer, and the
 * invariants after every step. @throws Violation, naming the promise that was broken.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { Faults } from './faults.ts';
import { Operator } from './operator.ts';
import type { Roughness } from './roughness.ts';
import { keys } from './rows.ts';
import { Chance, Scheduler } from './scheduler.ts';
import { SimulatedNode } from './simulated-node.ts';
import { SimulatedStore } from './simulated-store.ts';
import { Truth } from './truth.ts';

/** One request of a caller. */
export interface WorldRequest {
  readonly key: (typeof keys)[number];
  readonly run: string | null;
  readonly budget: NanoDollars | null;
  readonly ttlSeconds: number | null;
}

/** What becomes of a message that is not answered in time. */
interface Unanswered<Answer> {
  readonly failed: () => void;
  readonly lateMs: number;
  /** An answer that comes within five seconds after that. */
  readonly late?: ((answer: Answer) => void) | undefined;
}

/** Links that went bad: what passes takes from so long to so long, each way. Milliseconds; null: nothing passes. */
interface BadLinks {
  readonly node: SimulatedNode | null;
  readonly delaysMs: readonly [least: number, most: number] | null;
}

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
/** How long after its deadline an answer may still arrive. */
const lateHeardMs = 5_000;
const misfortunes = ['crash', 'freeze', 'suspend', 'cut', 'clock', 'stop'] as const;
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
    this.store = new SimulatedStore(faults);
    if (!roughness.capped) this.store.limits.clear();
    this.truth = new Truth(this.store, roughness);
    this.scheduler.nowMs = midnightMs - this.chance.whole(5_000, 40_000);
    const count = roughness.nodes ?? this.chance.whole(2, 4);
    for (let index = 0; index < count; index += 1) this.#begin(`home_${index}`);
    this.#load();
    this.#sweep();
    new Operator(this).begin();
    if (roughness.badNearLimits) this.#watchLimits();
    if (roughness.longAway) this.#goAway();
    if (roughness.clocksApart) this.#standStill();
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
    this.truth.assertRunsKept();
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

  get isQuiet(): boolean {
    return this.#quiet;
  }

  get nodes(): readonly SimulatedNode[] {
    return this.#nodes;
  }

  /** How long a call takes. */
  durationMs(): number {
    return this.rough.longAway && this.chance.happens(0.002) ? this.chance.whole(20_000, 200_000) : this.chance.whole(5, 900);
  }

  /** One of those that are called now. */
  anyRun(): string {
    return `run_${Math.max(1, this.#runs - this.chance.whole(0, 2))}`;
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
   * `lateMs` without an answer it failed, and an answer that comes later goes to `late` only.
   */
  send<Answer>(
    from: SimulatedNode, work: () => Answer, answered: (answer: Answer) => void, { failed, lateMs, late }: Unanswered<Answer>,
  ): void {
    const listensUntilMs = this.scheduler.nowMs + lateMs + lateHeardMs;
    let over = false;
    const once = (run: () => void, afterwards: () => void = () => {}): void => {
      if (!from.alive) return;
      if (from.frozen) return this.whenThawed(from, () => once(run, afterwards));
      if (over) return afterwards();
      over = true;
      run();
    };
    this.scheduler.after(lateMs, () => once(failed));
    const there = this.#delayOf(from);
    if (there === null) return;
    this.scheduler.after(there, () => {
      const answer = work();
      const back = this.#delayOf(from);
      const afterwards = (): void => {
        if (this.scheduler.nowMs < listensUntilMs) late?.(answer);
      };
      if (back !== null) this.scheduler.after(back, () => once(() => answered(answer), afterwards));
    });
  }

  /** A promise was settled: what waits for it goes on before the next step. */
  settle(): void {
    this.#settles = true;
  }

  /** Something in the product threw where nobody catches it. */
  broke(cause: unknown): void {
    this.#broken ??= { cause };
  }

  /** A node answered a caller that a run is over. In worlds with many faults some nodes are killed right then. */
  reportedEnded(node: SimulatedNode, run: string): void {
    this.truth.reportedEnded(node.name, run);
    if (this.rough.misfortuneMs === null || !this.rough.changing || !this.chance.happens(0.01)) return;
    this.scheduler.after(this.chance.whole(1, 60), () => {
      if (this.#mayBefall(node)) this.#befall(node, 'crash');
    });
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
    this.scheduler.after(this.chance.whole(1, this.rough.longAway || this.rough.clocksApart ? 150 : 25), () => {
      if (!this.#quiet) {
        if (this.#runs === 0 || this.chance.happens(this.rough.capped ? 0.01 : 0.003)) this.#runs += 1;
        const inRun = this.chance.happens(0.4);
        const run = inRun ? this.anyRun() : null;
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
    if (!this.chance.happens(0.6)) return null;
    return nanoDollars(BigInt(this.rough.changing ? this.chance.whole(100, 1_500) : this.chance.whole(1_000, 6_000)));
  }

  #sweep(): void {
    this.scheduler.after(5_000, () => {
      for (const freed of this.store.sweep(this.storeMs())) {
        this.scheduler.note(`freed ${freed.node}`);
        this.truth.freed(freed);
      }
      this.#sweep();
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
        for (const each of this.#nodes) if (this.chance.happens(0.3)) each.clock.stepWall(this.chance.whole(-8_000, 8_000));
        this.scheduler.after(lastsMs, () => {
          this.#bad = null;
          this.#goAway();
        });
      });
    });
  }

  /** A suspended machine believes that it still has its leases, and the store does not free them before the node has learned otherwise. */
  #standStill(): void {
    this.scheduler.after(this.chance.whole(3_000, 12_000), () => {
      const node = this.#nodes[this.chance.whole(0, this.#nodes.length - 1)]!;
      if (this.#quiet) return;
      const lastsMs = this.chance.happens(0.3) ? this.chance.whole(20_000, 110_000) : this.chance.whole(500, 15_000);
      this.scheduler.note(`stands still ${node.name} ${lastsMs}`);
      this.truth.troubles += 1;
      node.frozen = true;
      this.scheduler.after(lastsMs, () => {
        this.truth.stoodStill(node.name, lastsMs, this.scheduler.nowMs);
        node.clock.stoodStill(lastsMs);
        this.#overcome();
        this.#thaw(node);
        this.#standStill();
      });
    });
  }

  #overcome(): void {
    this.truth.troubles -= 1;
    this.truth.troubledMs = this.scheduler.nowMs;
  }

  #thaw(node: SimulatedNode): void {
    node.frozen = false;
    const waiting = this.#thaws.get(node) ?? [];
    this.#thaws.delete(node);
    waiting.forEach((run) => run());
  }

  #misfortune(meanMs: number): void {
    this.scheduler.after(this.chance.whole(1, 2 * meanMs), () => {
      const node = this.#nodes[this.chance.whole(0, this.#nodes.length - 1)]!;
      if (this.#mayBefall(node)) this.#befall(node, misfortunes[this.chance.whole(0, misfortunes.length - 1)]!);
      this.#misfortune(meanMs);
    });
  }

  #mayBefall(node: SimulatedNode): boolean {
    return !this.#quiet && node.alive && !node.frozen && !node.cut && !node.stopping;
  }

  #befall(node: SimulatedNode, kind: (typeof misfortunes)[number]): void {
    const lastsMs = this.chance.happens(0.05) ? this.chance.whole(130_000, 200_000) : this.chance.whole(50, 12_000);
    this.scheduler.note(`${kind} ${node.name} ${lastsMs}`);
    if (kind === 'clock') {
      const isSmall = this.chance.happens(0.5);
      const byMs = isSmall ? this.chance.whole(-8_000, 8_000) : this.chance.whole(-7_200_000, 7_200_000);
      // Set back by as little just after the machine was suspended, both of its clocks have lost that time, and the node cannot know.
      if (isSmall && byMs < 0) this.truth.stoodStill(node.name, -byMs, this.scheduler.nowMs);
      return node.clock.stepWall(byMs);
    }
    this.truth.troubles += 1;
    const over = (): void => this.#overcome();
    if (kind === 'freeze' || kind === 'suspend') {
      node.frozen = true;
      this.scheduler.after(lastsMs, () => {
        over();
        if (kind === 'suspend') node.clock.suspended(lastsMs);
        this.#thaw(node);
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
    const found = this.faults.recovered === undefined ? rows : rows.filter(this.faults.recovered);
    const ship = (): void => this.store.ship(segment, rows.length, found, this.scheduler.nowMs);
    if (this.faults.shipsAfterMs !== undefined) this.scheduler.after(this.faults.shipsAfterMs, ship);
    else {
      ship();
      this.truth.assertEndsKept(dead.name);
    }
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
