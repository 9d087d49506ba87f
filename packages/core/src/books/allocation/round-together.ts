/** Fractions rounded together, so that they add up to a whole: the largest remainders are rounded up. */

/**
 * `numerators[i] / denominator`, each rounded down or up to a whole number, such that all of them add up to `total`. Equal remainders go to the
 * earlier. `denominator` above 0; `total` is the exact sum, or that sum rounded.
 */
export function roundTogether(numerators: readonly bigint[], denominator: bigint, total: bigint): bigint[] {
  const parts = numerators.map((numerator, index) => {
    const rest = ((numerator % denominator) + denominator) % denominator;
    return { index, rest, whole: (numerator - rest) / denominator };
  });
  const missing = total - parts.reduce((sum, { whole }) => sum + whole, 0n);
  const raised = new Set(parts.toSorted((one, other) => (one.rest === other.rest ? one.index - other.index : one.rest > other.rest ? -1 : 1))
    .slice(0, Number(missing)).map(({ index }) => index));
  return parts.map(({ index, whole }) => (raised.has(index) ? whole + 1n : whole));
}

/** An amount divided by weights from 0, of which one is above 0: the parts add up to the amount. */
export function divideByWeights(amount: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  return roundTogether(weights.map((weight) => amount * weight), sum, amount);
}

/** The sum of fractions with one denominator, rounded half to even, and its parts. */
export function roundSum(numerators: readonly bigint[], denominator: bigint): bigint[] {
  const sum = numerators.reduce((total, numerator) => total + numerator, 0n);
  const size = sum < 0n ? -sum : sum;
  const [quotient, twice] = [size / denominator, (size % denominator) * 2n];
  const rounded = twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
  return roundTogether(numerators, denominator, sum < 0n ? -rounded : rounded);
}
