/**
 * Which of the names that organizations chose are resolved at this moment. A lookup takes a place until it has really ended: its thread is not
 * free when nobody waits for it any more. An organization has a few places, and who has fewest of them taken is next, so names that resolve
 * slowly delay the names of their own organization. Decision 0101.
 */

/** Places in all; the process that resolves has as many threads for names. */
export const namePlaces = 32;
export const placesOfOrganization = 4;
/** Names of one organization that wait for a place; further ones are refused at once. */
export const waitingOfOrganization = 64;
/** How long a lookup may take, its wait for a place included. */
export const nameDeadlineMs = 5_000;
/** How long a lookup may take while all places are taken and another could have one. */
const crowdedDeadlineMs = 1_000;
/** If this many lookups are past their deadline, the process that has them is replaced. */
const lateMax = namePlaces / 2;
/** A lookup that has not ended by then may never end: the process is replaced for that one too. */
const stuckMs = 60_000;
/** How long an organization still has the places of lookups that were ended with their process. */
const penaltyMs = 30_000;

export interface NameQuestion {
  readonly id: number;
  readonly organization: string;
  readonly hostname: string;
}

/** `answered`: its asker already got the answer that it did not resolve in time. */
interface Asked extends NameQuestion {
  readonly atMs: number;
  answered: boolean;
  /** In how many processes it was begun. */
  begun: number;
  begunAtMs: number;
}

export class NamePlaces {
  /** By organization, in the order they came. None is empty. */
  readonly #waiting = new Map<string, Asked[]>();
  readonly #underWay = new Map<number, Asked>();
  /** Places that organizations keep until a moment. */
  #penalties: { readonly organization: string; readonly untilMs: number }[] = [];

  /** False: too many names of this organization wait already. Times here are milliseconds of one clock that never goes back. */
  ask(question: NameQuestion, nowMs: number): boolean {
    const own = this.#waiting.get(question.organization) ?? [];
    if (own.length >= waitingOfOrganization) return false;
    this.#waiting.set(question.organization, own);
    own.push({ ...question, atMs: nowMs, answered: false, begun: 0, begunAtMs: nowMs });
    return true;
  }

  /** The next lookup to begin; its place is taken. Null: nothing waits, or all that waits must go on waiting. */
  next(nowMs: number): NameQuestion | null {
    const next = this.#underWay.size >= namePlaces ? null : this.#nextWaiting(nowMs);
    if (next === null) return null;
    this.#keepWaiting(next.organization, (each) => each !== next);
    next.begun += 1;
    next.begunAtMs = nowMs;
    this.#underWay.set(next.id, next);
    return next;
  }

  /** A lookup has ended. True: its asker still waits for the answer. */
  ended(id: number): boolean {
    const asked = this.#underWay.get(id);
    this.#underWay.delete(id);
    return asked?.answered === false;
  }

  /** Those whose deadline has passed, each once. What waited is dropped; what is under way keeps its place. */
  late(nowMs: number): NameQuestion[] {
    const lookupMs = this.#underWay.size >= namePlaces && this.#nextWaiting(nowMs) !== null ? crowdedDeadlineMs : nameDeadlineMs;
    const waiting = [...this.#waiting.values()].flat().filter(({ atMs }) => nowMs - atMs >= nameDeadlineMs);
    const underWay = [...this.#underWay.values()].filter(({ answered, atMs, begunAtMs }) =>
      !answered && (nowMs - atMs >= nameDeadlineMs || nowMs - begunAtMs >= lookupMs));
    for (const each of [...waiting, ...underWay]) each.answered = true;
    for (const organization of new Set(waiting.map((each) => each.organization))) this.#keepWaiting(organization, ({ answered }) => !answered);
    return [...waiting, ...underWay];
  }

  /** Whether so many lookups take so long that the process which has them must be replaced. */
  mustReplace(nowMs: number): boolean {
    const late = [...this.#underWay.values()].filter(({ answered }) => answered);
    return late.length >= lateMax || late.some(({ atMs }) => nowMs - atMs >= stuckMs);
  }

  /** The process has ended. What somebody waits for is begun again, once; returned is what was begun twice already. */
  replaced(nowMs: number): NameQuestion[] {
    const all = [...this.#underWay.values()];
    this.#underWay.clear();
    const untilMs = nowMs + penaltyMs;
    for (const { organization } of all.filter(({ answered }) => answered)) this.#penalties.push({ organization, untilMs });
    const wanted = all.filter(({ answered }) => !answered);
    for (const each of wanted.filter(({ begun }) => begun < 2).reverse()) {
      this.#waiting.set(each.organization, [each, ...(this.#waiting.get(each.organization) ?? [])]);
    }
    return wanted.filter(({ begun }) => begun >= 2);
  }

  /** Nobody will be answered: all that waits or is under way, and still has an asker. */
  giveUp(): NameQuestion[] {
    const all = [...[...this.#waiting.values()].flat(), ...this.#underWay.values()].filter(({ answered }) => !answered);
    this.#waiting.clear();
    this.#underWay.clear();
    return all;
  }

  /** Nothing waits and nothing is under way. */
  get idle(): boolean {
    return this.#waiting.size === 0 && this.#underWay.size === 0;
  }

  /** Of the organizations that may have another place, that with fewest; of those with the same number, whoever came first. */
  #nextWaiting(nowMs: number): Asked | null {
    this.#penalties = this.#penalties.filter(({ untilMs }) => untilMs > nowMs);
    const taken = new Map<string, number>();
    for (const { organization } of [...this.#underWay.values(), ...this.#penalties]) taken.set(organization, (taken.get(organization) ?? 0) + 1);
    let next: Asked | null = null;
    let fewest = placesOfOrganization;
    for (const [organization, [first]] of this.#waiting) {
      const places = taken.get(organization) ?? 0;
      if (places > fewest || places >= placesOfOrganization || (next !== null && places === fewest && first!.id > next.id)) continue;
      next = first!;
      fewest = places;
    }
    return next;
  }

  #keepWaiting(organization: string, which: (asked: Asked) => boolean): void {
    const kept = this.#waiting.get(organization)!.filter(which);
    if (kept.length === 0) this.#waiting.delete(organization);
    else this.#waiting.set(organization, kept);
  }
}
