/**
 * Reading a call on after its caller left or half-closed (rule 8): its allowance of time and bytes, and its slot among the node's
 * drains. It is created only when a caller leaves, so a normal call pays nothing for it.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { OrganizationSettings } from '@metergate/core/account/settings.ts';
import { drainBoundFor, type DrainBound, type Drains } from '../fairness/drains.ts';

/** More answers of one connection have no more bytes together: it has one place, as one answer has. */
const answersMax = 16;

export class ReadingOn {
  readonly #drains: Drains;
  readonly #organization: OrganizationId;
  readonly #bound: DrainBound;
  readonly #bytesMax: number;
  #timer: NodeJS.Timeout;
  #placed = false;
  #bytes = 0;

  /** `late` runs once, when the time is over. It keeps no process alive. */
  constructor(drains: Drains, organization: OrganizationId, { bound, late, answers }: {
    readonly bound: DrainBound; readonly late: () => void; readonly answers: number;
  }) {
    this.#drains = drains;
    this.#organization = organization;
    this.#bound = bound;
    this.#bytesMax = bound.bytesMax * Math.min(answers, answersMax);
    this.#timer = setTimeout(late, bound.durationMs).unref();
  }

  /** Takes a place; false if all are taken, or where no time is given. */
  enter(): boolean {
    this.#placed = this.#bound.durationMs > 0 && this.#drains.enter(this.#organization, this.#bound.covered);
    return this.#placed;
  }

  /** Counts bytes; true if they are more than are read on. */
  exceeds(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes > this.#bytesMax;
  }

  /** Gives the place back and lets the time go. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#placed) this.#drains.leave(this.#organization);
    this.#placed = false;
  }
}

/**
 * Begins to read on for an organization, within its bound. `covered`: a limit covers what is read on; `late` runs once it takes too long.
 * `answers`: so many come on the same connection, each of which may have the bytes of one, up to `answersMax`.
 */
export function beginReadingOn(drains: Drains, { id, drainSeconds }: OrganizationSettings, { covered, late, answers = 1 }: {
  readonly covered: boolean; readonly late: () => void; readonly answers?: number;
}): ReadingOn {
  return new ReadingOn(drains, id, { bound: drainBoundFor(covered, drainSeconds), late, answers });
}
