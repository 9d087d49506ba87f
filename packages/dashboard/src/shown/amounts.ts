/** Numbers as people read them. Money comes as decimal strings with nine places and is rounded in whole nano-dollars. */

/**
 * American English, written out here: the browser's own formatters of numbers take as long to create as half of a page takes to draw. A test compares
 * the two.
 */
function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(?:\d{3}){1,7}(?!\d))/g, ',');
}

const thousands = ['', 'K', 'M', 'B', 'T'] as const;

/** `12.3K`. `places`: at most so many behind the point. The count is not negative. */
function compact(count: number, places: number): string {
  const scale = 10 ** places;
  let [step, unit] = [0, 1];
  // What rounds to a thousand is one of the next.
  while (step < thousands.length - 1 && Math.round(count / (unit / scale)) / scale >= 1_000) [step, unit] = [step + 1, unit * 1_000];
  return `${Math.round(count / (unit / scale)) / scale}${thousands[step]!}`;
}

function whole(count: number): string {
  return grouped(String(count));
}

const nanoOfDollar = 1_000_000_000n;
const nanoOfCent = 10_000_000n;

/**
 * US dollars, rounded: two places from a dollar on, four from a cent on, below that the first two significant digits. Half a unit of the last
 * place is rounded up, exactly: a float of `1.005` is less than that.
 */
export function shortDollars(amount: string): string {
  const nano = nanoWithoutSign(amount);
  if (nano === 0n) return '$0';
  return `${amount.startsWith('-') ? '−' : ''}$${shortOf(nano)}`;
}

function shortOf(nano: bigint): string {
  // What rounds up at so few places is half of a whole number of dollars, so a part of a dollar changes nothing.
  if (nano >= 1_000_000n * nanoOfDollar) return compact(Number(nano / nanoOfDollar), 2);
  if (nano >= nanoOfDollar) return grouped(rounded(nano, 2));
  if (nano >= nanoOfCent) return rounded(nano, 4).replace(/00$/, '');
  return rounded(nano, Math.min(9, 11 - String(nano).length)).replace(/0{1,9}$/, '');
}

/** `places`: behind the point, 1 to 9. */
function rounded(nano: bigint, places: number): string {
  const unit = 10n ** BigInt(9 - places);
  const digits = String((nano + unit / 2n) / unit).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Also of an amount with fewer places, such as one that a person wrote. */
function nanoWithoutSign(amount: string): bigint {
  const [dollars = '', fraction = ''] = amount.replace('-', '').split('.');
  return BigInt(dollars + fraction.padEnd(9, '0'));
}

/** With every digit. */
export function wholeDollars(amount: string): string {
  const [dollars = '0', fraction] = amount.replace('-', '').split('.');
  return `${amount.startsWith('-') ? '−' : ''}$${grouped(dollars)}${fraction === undefined ? '' : `.${fraction}`}`;
}

export function shortCount(count: number): string {
  return count < 10_000 ? whole(count) : compact(count, 1);
}

export function wholeCount(count: number): string {
  return whole(count);
}

export function shortMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

export function shortBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A part of a whole, in percent with enough digits to be meaningful. */
export function percent(part: number, of: number): string {
  if (of === 0) return '0%';
  const share = (part / of) * 100;
  return share !== 0 && share < 0.1 ? '<0.1%' : `${share < 10 ? share.toFixed(1).replace(/\.0$/, '') : whole(Math.round(share))}%`;
}

/** How much more or less than before: `+12%`; null if there was nothing before. */
export function change(now: number, before: number): string | null {
  if (before === 0) return null;
  const share = Math.round(((now - before) / before) * 100);
  if (Math.abs(share) > 999) return share > 0 ? '>+999%' : '<−999%';
  return share === 0 ? '±0%' : share > 0 ? `+${share}%` : `−${-share}%`;
}

/** The text of a money field → what the platform accepts: decimal text, never `1e-6`. */
export function dollarsToSend(entered: number | string): string {
  return typeof entered === 'number' ? plainDecimal(entered.toFixed(9)) : entered.trim();
}

/** `5.000000000` → `5`: the initial text of a money field. */
export function plainDecimal(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0{1,9}$/, '') : amount;
}

/** An amount with nine places, in nano-dollars. */
export function nanoOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

/** Exact: amounts with nine places add up in whole nano-dollars. */
export function sumDollars(amounts: readonly string[]): string {
  const nano = amounts.reduce((sum, amount) => sum + nanoOf(amount), 0n).toString().padStart(10, '0');
  return `${nano.slice(0, -9)}.${nano.slice(-9)}`;
}
