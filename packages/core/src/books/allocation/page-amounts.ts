/**
 * Amounts as people read them on a statement: from a hundred dollars on in cents, rounded together, so that what adds up still does; below that
 * every digit. The exact total stands beside the rounded one. Decision 147.
 */
import { roundSum, roundTogether } from './round-together.ts';
import { formatDollars, type NanoDollars } from '../../money.ts';

const cent = 10_000_000n;
const centsFrom = 100_000_000_000n;

/** How amounts of one page are written. In billionths of the currency. */
export class PageAmounts {
  readonly #unit: bigint;

  /** `total`: the largest sum of the page. */
  constructor(total: bigint) {
    this.#unit = total >= centsFrom || -total >= centsFrom ? cent : 1n;
  }

  get isRounded(): boolean {
    return this.#unit !== 1n;
  }

  /** Amounts in units, that add up to `total` in units; by default to their rounded sum. */
  together(amounts: readonly bigint[], total?: bigint): bigint[] {
    return total === undefined ? roundSum(amounts, this.#unit) : roundTogether(amounts, this.#unit, total);
  }

  /** An amount in units: `1,234.50`. Nothing is `0.00`. */
  text(units: bigint): string {
    if (units === 0n) return '0.00';
    const [whole, fraction] = formatDollars((units * this.#unit) as NanoDollars).split('.') as [string, string];
    const digits = grouped(BigInt(whole.replace('-', '')));
    return `${whole.startsWith('-') ? '-' : ''}${digits}.${fraction.slice(0, this.isRounded ? 2 : 9)}`;
  }

  /** One amount by itself. */
  alone(amount: bigint): string {
    return this.text(this.together([amount])[0]!);
  }
}

/** `1234` → `1,234`. */
export function grouped(figure: number | bigint): string {
  return String(figure).replaceAll(/\B(?=(?:\d{3}){1,7}$)/g, ',');
}
