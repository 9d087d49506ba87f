/** Whether the lines of a closed month add up to its total: calls and days each, and what teams pay. */
import { unformatDollars } from '../../money.ts';
import type { MonthLine, TotalFileLine } from './month-file.ts';

/** Money that lines of a type hold, in nano-dollars, and calls. */
interface Sum {
  calls: bigint;
  cost: bigint;
  adjusted: bigint;
}

const summed = ['calls', 'day', 'allocation', 'team'] as const;

/** Adds up the lines before the total. */
export class LineSums {
  readonly #sums = new Map<string, Sum>();
  #faulty = false;

  add(line: MonthLine): void {
    if (!(summed as readonly string[]).includes(line.type)) return;
    const { figures, ...rest } = line as MonthLine & Pick<TotalFileLine, 'figures'>;
    const sum = this.#sums.get(line.type) ?? { calls: 0n, cost: 0n, adjusted: 0n };
    this.#sums.set(line.type, sum);
    try {
      sum.calls += BigInt(figures['calls']!);
      sum.cost += unformatDollars(figures['cost']!);
      if (rest.type === 'team') sum.adjusted += unformatDollars(rest.adjustedCost);
    } catch {
      this.#faulty = true;
    }
  }

  comeTo({ figures, adjustedCost }: TotalFileLine): boolean {
    if (this.#faulty) return false;
    try {
      const [calls, cost, adjusted] = [BigInt(figures['calls']!), unformatDollars(figures['cost']!), unformatDollars(adjustedCost)];
      return summed.every((type) => {
        const sum = this.#sums.get(type);
        if (sum === undefined) return type === 'allocation' || type === 'team' || calls === 0n;
        return sum.calls === calls && sum.cost === cost && (type !== 'team' || sum.adjusted === adjusted);
      });
    } catch {
      return false;
    }
  }
}
