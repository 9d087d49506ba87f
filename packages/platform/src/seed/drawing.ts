/** Seeded random numbers, the same at every run, so that a store seeded twice has the same content. Pure except for its own state. */

export interface Drawing {
  /** From 0 up to 1, excluded. */
  unit(): number;
  /** A whole number from 0 up to `below`, excluded. */
  below(below: number): number;
  /** One of these, the first ones far more often than the last (as use is spread over keys, models and projects). */
  oneOf<Item>(items: readonly Item[]): Item;
  /** Around `middle`, mostly within a factor of three of it. At least 1. */
  around(middle: number): number;
  /** Draws so many hexadecimal digits. */
  hex(digits: number): string;
}

export function createDrawing(seed: number): Drawing {
  let state = seed >>> 0;
  const next = (): number => {
    // Mulberry32: 32 bits of state are enough for data that only has to look plausible.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const unit = (): number => next() / 4_294_967_296;
  return {
    unit,
    below: (below) => Math.floor(unit() * below),
    oneOf: (items) => items[Math.floor(items.length * unit() ** 2)]!,
    around: (middle) => Math.max(1, Math.round(middle * Math.exp((unit() + unit() + unit() - 1.5) * 1.4))),
    hex(digits) {
      let text = '';
      while (text.length < digits) text += next().toString(16).padStart(8, '0');
      return text.slice(0, digits);
    },
  };
}
