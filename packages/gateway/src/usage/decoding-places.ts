/**
 * How many compressed copies of one organization are decoded at the same time (rule 8a; decision 0019). Each of them keeps one of the runtime's few
 * threads busy and a window in memory: 190 begun at once took both processors of a small machine from the thread that forwards calls, for
 * longer than the answers wait. So a copy waits for a place before its decoder is opened, and holds it while there is something to decode. An
 * organization has places for each wire, so that answers of its own upstream never keep the usage of a named provider's answers from being read.
 */

/** An organization starts with as many places as the runtime has threads for them, and gets one more with each copy that ends honestly. */
const placesAtFirst = 4;
const placesMax = 16;
/** For an organization that recently had a copy that expanded without end. */
const placesWhenExpanding = 1;
/** Pause between such a copy and the next one of its organization; twice as long after each further one, up to a bound. */
const restMs = 50;
const restMsMax = 400;
/** After this long without such a copy an organization is treated like any other. */
const forgetMs = 10_000;

/** How many organizations are remembered, unless more have copies under way. */
const rememberedMax = 256;

/** A copy that can be given a place. */
export interface Placed {
  /** The copy has its place now. Must not throw. */
  begin(): void;
}

/** The clock and timer of the places; tests pass their own. */
interface DecodingPlacesTiming {
  readonly monotonicMs: () => number;
  readonly after: (delayMs: number, task: () => void) => unknown;
}

interface Organization {
  readonly placed: Set<Placed>;
  readonly waiting: Set<Placed>;
  places: number;
  /** The organization had a copy that expanded without end: until then it has one place. */
  narrowUntilMs: number;
  restMs: number;
  restUntilMs: number;
  isWaking: boolean;
}

const byThisThread: DecodingPlacesTiming = { monotonicMs: () => performance.now(), after: (delayMs, task) => setTimeout(task, delayMs) };

export class DecodingPlaces {
  readonly #by: DecodingPlacesTiming;
  readonly #organizations = new Map<string, Organization>();

  constructor(by: DecodingPlacesTiming = byThisThread) {
    this.#by = by;
  }

  get remembered(): number {
    return this.#organizations.size;
  }

  /** Places that copies have or wait for. */
  get taken(): number {
    let taken = 0;
    for (const { placed, waiting } of this.#organizations.values()) taken += placed.size + waiting.size;
    return taken;
  }

  /** Gives `copy` a place, at once or after the others of its organization. It must not have one or wait for one. */
  seek(name: string, copy: Placed): void {
    let organization = this.#organizations.get(name);
    if (organization === undefined) {
      this.#forgetIdle();
      organization = { placed: new Set(), waiting: new Set(), places: placesAtFirst, narrowUntilMs: 0, restMs: 0, restUntilMs: 0, isWaking: false };
      this.#organizations.set(name, organization);
    }
    organization.waiting.add(copy);
    this.#fill(organization);
  }

  /** `copy` no longer needs its place, or no longer waits for one; does nothing if neither holds. */
  leave(name: string, copy: Placed): void {
    const organization = this.#organizations.get(name);
    if (organization === undefined) return;
    organization.waiting.delete(copy);
    if (organization.placed.delete(copy) && organization.places < placesMax) organization.places += 1;
    this.#fill(organization);
  }

  /** Like `leave`, for a copy that was given up because it expanded without end. */
  leaveExpanding(name: string, copy: Placed): void {
    const organization = this.#organizations.get(name);
    if (organization !== undefined) {
      const nowMs = this.#by.monotonicMs();
      organization.restMs = nowMs < organization.narrowUntilMs ? Math.min(restMsMax, organization.restMs * 2) : restMs;
      organization.restUntilMs = nowMs + organization.restMs;
      organization.narrowUntilMs = nowMs + forgetMs;
      // `leave` adds one, which is meant for honest copies.
      organization.places = placesAtFirst - 1;
    }
    this.leave(name, copy);
  }

  #fill(organization: Organization): void {
    const { placed, waiting } = organization;
    if (waiting.size === 0) return;
    const nowMs = organization.narrowUntilMs === 0 ? 0 : this.#by.monotonicMs();
    if (nowMs < organization.restUntilMs) return this.#wakeLater(organization, organization.restUntilMs - nowMs);
    const most = nowMs < organization.narrowUntilMs ? placesWhenExpanding : organization.places;
    for (const copy of waiting) {
      if (placed.size >= most) return;
      waiting.delete(copy);
      placed.add(copy);
      copy.begin();
    }
  }

  #wakeLater(organization: Organization, delayMs: number): void {
    if (organization.isWaking) return;
    organization.isWaking = true;
    this.#by.after(delayMs, () => {
      organization.isWaking = false;
      this.#fill(organization);
    });
  }

  /** If many are remembered, forgets those with no copy under way and none lately that expanded without end. */
  #forgetIdle(): void {
    if (this.#organizations.size <= rememberedMax) return;
    const nowMs = this.#by.monotonicMs();
    for (const [name, { placed, waiting, narrowUntilMs }] of this.#organizations) {
      if (placed.size === 0 && waiting.size === 0 && narrowUntilMs <= nowMs) this.#organizations.delete(name);
    }
  }
}

/** The places of this process. */
export const nodePlaces = new DecodingPlaces();
