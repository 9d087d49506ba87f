/** One row of a cloud's bill: what it charges for, how much of it, and its amount. */
import { amountOf, billCount, type Amount } from '../bill.ts';
import type { BillDay } from '../bill-days.ts';
import { textOf } from '../json-rows.ts';
import { nothingBilled, type ReadLine } from './form.ts';
import { countsOfMeter, meterOf, tokensPerUnit } from './meter.ts';

interface CloudRow {
  readonly bucket: BillDay;
  readonly meter: unknown;
  /** The product's name, where the meter's does not say whose model it is. */
  readonly product?: unknown;
  readonly quantity: unknown;
  /** What one of `quantity` is: `1K Tokens`. */
  readonly unit: unknown;
  readonly amount: Amount | null;
  readonly currency: unknown;
}

/** Services of clouds that sell models: other rows of a bill are left out. */
const services = /openai|cognitive|foundry|bedrock|vertex|gemini|generative language|\bclaude\b/i;

export function sellsModels(...names: readonly unknown[]): boolean {
  return names.some((name) => services.test(textOf(name) ?? ''));
}

export function readCloudRow({ bucket, meter: text, product, quantity, unit, amount, currency }: CloudRow): ReadLine | null {
  const name = textOf(text) ?? textOf(product);
  if (name === null) return null;
  const meter = meterOf(name, textOf(product) ?? '') ?? { name, item: 'other' as const, kind: null };
  const count = billCount(quantity);
  const each = tokensPerUnit(unit);
  const units = count === null || each === null ? null : count * each;
  const counts = meter.kind === null ? {} : countsOfMeter(meter.kind, units);
  const line = { ...nothingBilled, day: bucket.day, name: meter.name, item: meter.item, counts, cost: amount?.cost ?? null };
  const other = textOf(currency);
  return { line, bucket, places: amount?.places ?? null, ...(amount === null && other !== null ? { otherCurrency: other.toUpperCase() } : {}) };
}

/** Null: the amount is of another currency than US dollars. */
export function dollarsOf(value: unknown, currency: unknown): Amount | null {
  const named = textOf(currency);
  return named !== null && named.toLowerCase() !== 'usd' ? null : amountOf(value, 0);
}

