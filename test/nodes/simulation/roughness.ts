/** What simulated worlds are like: how hard each is, and at what. */

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
  /**
   * The store is away from one node or from all: first slow, then out of reach, often for longer than it takes to free what they held. Wall
   * clocks are set meanwhile, and a few calls take minutes.
   */
  readonly longAway: boolean;
  /** Whether there are caps. Where there are none, nothing but its own lease holds a run. */
  readonly capped: boolean;
  /** Every second or so an operator raises a cap, lowers it, or takes it away and sets it again, or closes a run. */
  readonly changing: boolean;
  /** Clocks run up to one percent fast or slow, and machines stand still with all their clocks, for less time than their leases are kept. */
  readonly clocksApart: boolean;
}

export const calm: Roughness = {
  lost: 0, slow: 0, shipTwice: 0.05, misfortuneMs: null, nodes: null, badNearLimits: false, longAway: false, capped: true, changing: false,
  clocksApart: false,
};
/** A node that has the shared store for itself. */
export const alone: Roughness = { ...calm, nodes: 1 };
/** Nothing is lost on the way, and nodes crash, freeze and are cut off. */
const stormy: Roughness = { ...calm, misfortuneMs: 8_000 };
export const rough: Roughness = { ...calm, lost: 0.02, slow: 0.05, shipTwice: 0.2, misfortuneMs: 4_000, badNearLimits: true };
/** Nothing is wrong but the links, and those only where it hurts. */
export const cutOff: Roughness = { ...calm, badNearLimits: true };
/** The store is away for long while calls go on, fewer of them, so that many minutes pass. */
export const away: Roughness = { ...calm, longAway: true };
/** The same, with runs only. */
export const awayUncapped: Roughness = { ...away, capped: false };
/** Caps change and runs are closed while answers about them are under way. */
export const changing: Roughness = { ...calm, slow: 0.4, changing: true };
/** And messages are lost on the way. */
export const changingCutOff: Roughness = { ...changing, lost: 0.02, badNearLimits: true };
/** And nodes suffer many other faults. */
export const frantic: Roughness = { ...changing, misfortuneMs: 1_500 };
export const clocksApart: Roughness = { ...calm, clocksApart: true };
/** The same, with runs only. */
export const clocksApartUncapped: Roughness = { ...clocksApart, capped: false };

/** In turn, by the seed. */
export const kinds: readonly Roughness[] = [
  calm, rough, stormy, cutOff, alone, away, awayUncapped, changing, changingCutOff, frantic, clocksApart, clocksApartUncapped,
];
