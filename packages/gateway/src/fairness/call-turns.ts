/**
 * Whose calls are worked at in a turn of the event loop (rule 8a; decision 0019). A call is worked at in four steps: it is admitted,
 * dialled, settled, and answered, each some 50 to 150 µs. While several organizations call, one of them takes at most four steps in a turn, and
 * its others wait for the next ones. So a burst of one is not worked off before the one call of another is looked at. An organization that
 * calls alone waits for nothing: each of its steps costs it one comparison.
 */
import type { OrganizationId } from '@metergate/core/id.ts';

/** Steps that an organization takes in a turn while others call, too. */
const stepsOfTurnMax = 4;
/** For so long after two organizations called in alternation they count as calling at the same time. */
const togetherMs = 250;
/** Steps of one organization that wait at most; further ones are taken at once. More than it has connections, unless it pipelines without end. */
const waitingMax = 4_096;

/** How turns and delays are counted; tests pass their own. */
interface CallTurnsTiming {
  /** Runs a task once the turn is over. */
  readonly atTurnsEnd: (task: () => void) => unknown;
  readonly after: (delayMs: number, task: () => void) => unknown;
}

const byThisThread: CallTurnsTiming = { atTurnsEnd: setImmediate, after: (delayMs, task) => setTimeout(task, delayMs).unref() };

interface Share {
  /** The turn in which it took its last step, and how many in it. */
  turn: number;
  steps: number;
  /** What waits, in its order. */
  waiting: (() => void)[];
}

export class CallTurns {
  readonly #by: CallTurnsTiming;
  readonly #stepsMax: number;
  /** The organizations that called lately. */
  readonly #shares = new Map<OrganizationId, Share>();
  /** Those with something that waits: a turn's end costs the same however many others there are. */
  #behind: Share[] = [];
  #last: OrganizationId | null = null;
  /** Several organizations call at the same time. */
  #isShared = false;
  /** Since that was last looked at. */
  #alternated = false;
  #ended = false;
  #turn = 0;
  #isDue = false;

  /** @param stepsMax of one organization in a turn, while others call, too. */
  constructor(by: CallTurnsTiming = byThisThread, stepsMax: number = stepsOfTurnMax) {
    this.#by = by;
    this.#stepsMax = stepsMax;
  }

  /** Organizations that are remembered: while several call, those of the last half second. */
  get remembered(): number {
    return this.#shares.size;
  }

  /** Steps that wait for a later turn. */
  get waiting(): number {
    return this.#behind.reduce((sum, share) => sum + share.waiting.length, 0);
  }

  /** Whether a step may be taken at once. False: hand it to `later` before asking for another. */
  mayGo(organization: OrganizationId): boolean {
    return (organization === this.#last && !this.#isShared) || this.#mayGoBeside(organization);
  }

  /** Takes the step in a later turn, behind all others of its organization. It must not throw. */
  later(organization: OrganizationId, step: () => void): void {
    const share = this.#shares.get(organization)!;
    if (share.waiting.push(step) === 1) this.#behind.push(share);
  }

  /** The node ends: from now on nothing waits, and what does is done before this returns. */
  end(): void {
    this.#ended = true;
    const behind = this.#behind;
    this.#behind = [];
    for (const share of behind) for (const step of share.waiting.splice(0)) step();
  }

  #mayGoBeside(organization: OrganizationId): boolean {
    if (this.#ended) return true;
    if (organization !== this.#last) {
      if (this.#last !== null) this.#callTogether();
      this.#last = organization;
    }
    if (!this.#isShared) return true;
    let share = this.#shares.get(organization);
    if (share === undefined) this.#shares.set(organization, share = { turn: this.#turn, steps: 0, waiting: [] });
    this.#endTurnSoon();
    if (share.turn !== this.#turn) [share.turn, share.steps] = [this.#turn, 0];
    const mustWait = share.steps >= this.#stepsMax || share.waiting.length > 0;
    if (mustWait && share.waiting.length < waitingMax) return false;
    share.steps += 1;
    return true;
  }

  #callTogether(): void {
    this.#alternated = true;
    if (this.#isShared) return;
    this.#isShared = true;
    this.#by.after(togetherMs, this.#look);
  }

  readonly #look = (): void => {
    if (this.#alternated || this.#isDue) {
      this.#alternated = false;
      this.#forgetIdle();
      this.#by.after(togetherMs, this.#look);
      return;
    }
    this.#isShared = false;
    this.#shares.clear();
  };

  /** An organization that took no step in this turn begins the next one like a new one, so nothing is kept about it. */
  #forgetIdle(): void {
    for (const [organization, share] of this.#shares) {
      if (share.turn !== this.#turn && share.waiting.length === 0) this.#shares.delete(organization);
    }
  }

  #endTurnSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#by.atTurnsEnd(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#isDue = false;
    this.#turn += 1;
    const behind = this.#behind;
    this.#behind = [];
    for (const share of behind) this.#runSteps(share);
  };

  #runSteps(share: Share): void {
    this.#endTurnSoon();
    const steps = share.waiting.splice(0, this.#stepsMax);
    if (share.waiting.length > 0) this.#behind.push(share);
    [share.turn, share.steps] = [this.#turn, steps.length];
    for (const step of steps) step();
  }
}
