/** Sums of spend derived from records, in memory: added up, subtracted, compared, and digested into one number. */
import { hash } from 'node:crypto';
import { labelAdditionsOf, moneyAlone } from './label-spend.ts';
import { additionsOf, addSpend, spendColumns, noSpend, type SpendFigures, type SpendPlace, type SpendRecord } from './apply-spend.ts';

/** The sums of an organization, by the names of their places. */
export type Sums = Map<string, SpendPlace & { readonly figures: SpendFigures }>;

/** Adds to `sums` what `records` spent, all of the same organization. */
export function addRecords(sums: Sums, records: readonly SpendRecord[]): void {
  // Labels have no other sums here: what their records say is in the sums of usage.
  const ofLabels = labelAdditionsOf(records.flatMap(({ correction, ...call }) => (correction === undefined ? []
    : [{ call: { ...call, labels: correction.labels }, kept: moneyAlone(correction.amount), gone: noSpend }])));
  for (const { scope, subject, dayMs, figures } of [...additionsOf(records), ...ofLabels]) {
    const place = { scope, subject, dayMs };
    const name = placeName(place);
    sums.set(name, { ...place, figures: combined(sums.get(name)?.figures ?? noSpend, figures, 1) });
  }
}

/** `sums` minus `parts`. */
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

export function placeName({ scope, subject, dayMs }: SpendPlace): string {
  return `${scope}\0${dayMs}\0${subject}`;
}

export function figuresText(figures: SpendFigures): string {
  return spendColumns.map(({ name }) => figures[name]).join(' ');
}

const nothingText = figuresText(noSpend);

function combined(one: SpendFigures, other: SpendFigures, sign: 1 | -1): SpendFigures {
  const figures = { ...one };
  addSpend(figures, other, sign);
  return figures;
}
