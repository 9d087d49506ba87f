/** Sums of spend derived from records, in memory: added up, subtracted, compared, and digested into one number. */
import { hash } from 'node:crypto';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CapScope } from '@metergate/core/spend/cap.ts';
import type { CalendarWindow } from '@metergate/core/spend/window.ts';
import { additionsOf, type SpendRecord } from './apply-spend.ts';

/** The figures of a sum. */
export interface SpendFigures {
  readonly spent: NanoDollars;
  readonly calls: number;
  readonly unknownCalls: number;
  readonly gapCalls: number;
}

/** Names one sum of an organization. */
export interface SumPlace {
  readonly scope: CapScope;
  /** Empty for an organization. */
  readonly subject: string;
  readonly window: CalendarWindow;
  readonly startMs: number;
}

/** The sums of an organization, by the names of their places. */
export type Sums = Map<string, SumPlace & { readonly figures: SpendFigures }>;

export const noSpend: SpendFigures = Object.freeze({ spent: nanoDollars(0n), calls: 0, unknownCalls: 0, gapCalls: 0 });

/** Adds to `sums` what `records` spent, all of them the same organization's. */
export function addRecords(sums: Sums, records: readonly SpendRecord[]): void {
  for (const { scope, subject, window, startMs, ...figures } of additionsOf(records)) {
    const place = { scope, subject, window, startMs };
    const name = placeName(place);
    sums.set(name, { ...place, figures: combined(sums.get(name)?.figures ?? noSpend, figures, 1) });
  }
}

/** `sums` less these parts. */
export function without(sums: Sums, ...parts: readonly Sums[]): Sums {
  const left: Sums = new Map(sums);
  for (const part of parts) {
    for (const [name, { figures, ...place }] of part) {
      left.set(name, { ...place, figures: combined(left.get(name)?.figures ?? noSpend, figures, -1) });
    }
  }
  return left;
}

/**
 * One number for all of these sums, whatever their order: the sum, modulo 2^64, of a hash of each. A sum of zero adds nothing, just like
 * a missing one. The digest finds damage; it does not withstand an attacker.
 */
export function digestOf(sums: Sums): bigint {
  let digest = 0n;
  for (const [name, { figures }] of sums) {
    const text = figuresText(figures);
    if (text !== nothingText) digest += hash('sha1', `${name}\0${text}`, 'buffer').readBigUInt64BE();
  }
  return BigInt.asUintN(64, digest);
}

export function placeName({ scope, subject, window, startMs }: SumPlace): string {
  return `${scope}\0${window}\0${startMs}\0${subject}`;
}

export function figuresText({ spent, calls, unknownCalls, gapCalls }: SpendFigures): string {
  return `${spent} ${calls} ${unknownCalls} ${gapCalls}`;
}

const nothingText = figuresText(noSpend);

function combined(one: SpendFigures, other: SpendFigures, sign: 1 | -1): SpendFigures {
  return {
    spent: nanoDollars(one.spent + BigInt(sign) * other.spent), calls: one.calls + sign * other.calls,
    unknownCalls: one.unknownCalls + sign * other.unknownCalls, gapCalls: one.gapCalls + sign * other.gapCalls,
  };
}
