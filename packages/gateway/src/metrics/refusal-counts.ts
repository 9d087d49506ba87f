/**
 * Refused calls of known keys, counted by organization, key, reason and hour, until they are sent to the store. Bounded: past a number of
 * different ones the keys of an organization are counted together, past twice that what is new is not counted. A refusal costs one lookup.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { hourMs } from '@metergate/core/report/hour-sum.ts';
import type { RefusalCount, RefusalReason } from '@metergate/core/report/refusal-count.ts';

type Counted = { -readonly [Name in keyof RefusalCount]: RefusalCount[Name] };

/** The most different refusals between two sendings. */
const countsMax = 4_000;

export class RefusalCounts {
  readonly #max: number;
  #counts = new Map<string, Counted>();

  constructor(max: number = countsMax) {
    this.#max = max;
  }

  /** `wallMs`: the moment of the refusal. */
  add(organization: OrganizationId, key: ServiceKeyId, { code, scope, window }: RefusalReason, wallMs: number): void {
    const at = Math.floor(wallMs / hourMs) * hourMs;
    const why = `${organization} ${at} ${code} ${scope} ${window}`;
    const own = this.#counts.get(`${why} ${key}`);
    if (own !== undefined) own.refusals += 1;
    else if (this.#counts.size < this.#max) this.#counts.set(`${why} ${key}`, { organization, key, code, scope, window, hourMs: at, refusals: 1 });
    else this.#addTogether(why, { organization, key: null, code, scope, window, hourMs: at, refusals: 1 });
  }

  /** What was counted since the last call. */
  taken(): RefusalCount[] {
    if (this.#counts.size === 0) return [];
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    return counts;
  }

  #addTogether(why: string, count: Counted): void {
    const together = this.#counts.get(why);
    if (together !== undefined) together.refusals += 1;
    else if (this.#counts.size < this.#max * 2) this.#counts.set(why, count);
  }
}
