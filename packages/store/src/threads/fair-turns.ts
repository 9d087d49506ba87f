/**
 * Whose turn is next: the asker whose turns took the least so far, counted from where the others stood when it came. A newcomer begins where the
 * others stand, so nobody saves anything up. A rule without a clock. Decisions 0109 and 0278.
 */

/** A turn counts as one of at least this long, so that short ones alternate. */
const turnUsMin = 1_000;
/**
 * Each newcomer has the next one begin this much further on. Otherwise newcomers without end would all go ahead of an asker that had a turn before.
 * Now as many pass it as this is contained in what it used.
 */
const newcomerUs = 125;
/** How many askers are remembered before those that need not be are looked for. */
const rememberedMin = 64;

interface Turn<Job> {
  readonly job: Job;
  /** It is over. `us`: the processor time that it took, microseconds. */
  over(us: number): void;
}

/** One turn at a time: `next` may be called again once the turn is over. */
export class FairTurns<Job> {
  /** By asker. The one that had a turn last stands at the end. */
  readonly #waiting = new Map<string, Job[]>();
  /** Where each stands, microseconds: those who wait, and those ahead of `#stand`. Others are newcomers when they come again. */
  readonly #stands = new Map<string, number>();
  /** Where the asker stood that has the turn, or had the last one. */
  #stand = 0;
  /** Where the next newcomer begins, unless all others are further on. */
  #newcomers = 0;
  #now: string | null = null;
  #rememberedMax = rememberedMin;

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Askers whose standing is remembered. */
  get remembered(): number {
    return this.#stands.size;
  }

  add(asker: string, job: Job): void {
    const jobs = this.#waiting.get(asker);
    if (jobs !== undefined) return void jobs.push(job);
    this.#waiting.set(asker, [job]);
    if (asker !== this.#now && (this.#stands.get(asker) ?? 0) <= this.#stand) this.#stands.set(asker, this.#newcomersStand());
  }

  /** Somebody must wait. */
  next(): Turn<Job> {
    const asker = this.#foremost();
    const jobs = this.#waiting.get(asker)!;
    this.#waiting.delete(asker);
    this.#stand = this.#stands.get(asker)!;
    this.#now = asker;
    const job = jobs.shift()!;
    if (jobs.length > 0) this.#waiting.set(asker, jobs);
    return { job, over: (us) => this.#over(asker, us) };
  }

  #over(asker: string, us: number): void {
    this.#now = null;
    if (this.isEmpty) return this.#forgetAll();
    this.#stands.set(asker, this.#stand + Math.max(turnUsMin, us));
    if (this.#stands.size > this.#rememberedMax) this.#forgetThoseBehind();
  }

  #newcomersStand(): number {
    const at = Math.max(this.#stand, this.#newcomers);
    this.#newcomers = at + newcomerUs;
    return at;
  }

  /** The one that is next. If several stand equal, the one that has waited the longest. */
  #foremost(): string {
    let [first, least] = ['', Number.POSITIVE_INFINITY];
    for (const asker of this.#waiting.keys()) {
      const at = this.#stands.get(asker)!;
      if (at < least) [first, least] = [asker, at];
    }
    return first;
  }

  #forgetAll(): void {
    this.#stands.clear();
    [this.#stand, this.#newcomers, this.#rememberedMax] = [0, 0, rememberedMin];
  }

  /** They come again as newcomers. As many askers have their turns in between as are looked at here. */
  #forgetThoseBehind(): void {
    for (const [asker, at] of this.#stands) if (at <= this.#stand && !this.#waiting.has(asker)) this.#stands.delete(asker);
    this.#rememberedMax = Math.max(rememberedMin, 2 * this.#stands.size);
  }
}
