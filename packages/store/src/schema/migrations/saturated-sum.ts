/**
 * The sum of a column of whole numbers from 0, as SQL that stops at the 64-bit bound where the engine's own would fail.
 * Part of released migrations: never changed.
 */

/** SQL for the sum of `column`; null counts as nothing. SQLite adds in two halves, since its `sum` fails past 64 bits. */
export function saturatedSum(engine: 'sqlite' | 'postgres', column: string): string {
  const value = `coalesce(${column}, 0)`;
  if (engine === 'postgres') return `cast(least(sum(${value}), 9223372036854775807) as bigint)`;
  const [high, low] = [`sum(${value} / 1000000000)`, `sum(${value} % 1000000000)`];
  return `case when ${high} + ${low} / 1000000000 >= 9223372036 then 9223372036854775807 else ${high} * 1000000000 + ${low} end`;
}
