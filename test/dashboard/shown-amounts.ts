/** What pages show of an amount with all its digits, computed in whole billionths and apart from what the pages do it with. */

/** Two places from a dollar on, four from a cent on, the first two digits that count below: rounded to the nearest. */
export function wordsOfAmount(amount: string): string {
  const nano = BigInt(amount.replace('-', '').replace('.', ''));
  const sign = amount.startsWith('-') && nano !== 0n ? '−' : '';
  if (nano === 0n) return '$0';
  const places = nano >= 1_000_000_000n ? 2 : nano >= 10_000_000n ? 4 : 11 - String(nano).length;
  const unit = 10n ** BigInt(Math.max(0, 9 - places));
  const rounded = ((nano + unit / 2n) / unit) * unit;
  const dollars = String(rounded / 1_000_000_000n).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  const fraction = String(rounded % 1_000_000_000n).padStart(9, '0').slice(0, places);
  if (places === 2) return `${sign}$${dollars}.${fraction}`;
  return `${sign}$${dollars}.${nano >= 10_000_000n ? fraction.replace(/00$/, '') : fraction.replace(/0+$/, '')}`;
}
