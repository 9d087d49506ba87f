/**
 * What is known of a month → the lines that its closing freezes. Names are numbered in the order in which they first occur, each with a salt of
 * its own. docs/month.md specifies the form.
 */
import { createHash, hash } from 'node:crypto';
import { formatDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import {
  figureTexts, formatMonthLine, nameText, signedLine, type CorrectionFileLine, type MonthLine, type NameLine, type WithoutFileLine,
} from '@metergate/core/books/month/month-file.ts';
import type { Allocation } from '@metergate/core/books/allocation/allocate.ts';
import type { AllocationRules } from '@metergate/core/books/allocation/rules.ts';
import { sumOfLines, type CallsLine, type DayLine } from '@metergate/core/books/month/month-sums.ts';
import { figureIn } from '@metergate/core/report/usage-sum.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';
import type { MonthPart } from '@metergate/store/receipts/closed-months.ts';

/** A correction as a closing counts it. */
export type FrozenCorrection = Omit<CorrectionFileLine, 'model'> & { readonly model: string };

export interface MonthToFreeze {
  readonly month: string;
  readonly calls: readonly CallsLine[];
  readonly days: readonly DayLine[];
  /** Calls of earlier months, by the month of their start. */
  readonly late: readonly { readonly month: string; readonly calls: readonly CallsLine[] }[];
  readonly corrections: readonly FrozenCorrection[];
  /** Null: there are no rules. */
  readonly allocation: FrozenAllocation | null;
  readonly without: readonly Omit<WithoutFileLine, 'type'>[];
}

/** An allocation, with the rules that made it and their text. */
export interface FrozenAllocation {
  readonly text: string;
  readonly rules: AllocationRules;
  readonly made: Allocation;
}

export interface FrozenLines {
  readonly names: readonly NameLine[];
  readonly parts: readonly MonthPart[];
  /** SHA-256 of names and lines in the form that is signed, in hexadecimal. */
  readonly digest: string;
}

const saltBytes = 32;
/** About so long is the text of one row of the store. */
const partCharacters = 200_000;

export function frozenLines(found: MonthToFreeze, randomBytes: (n: number) => Uint8Array): FrozenLines {
  const names = new Names(randomBytes);
  const lines: MonthLine[] = [
    ...found.without.map((each): MonthLine => ({ type: 'without', ...each })),
    ...found.calls.map((line) => callsLine(names, 'calls', found.month, line)),
    ...found.days.map(({ dayMs, model, wire, figures }): MonthLine =>
      ({ type: 'day', day: dayName(dayMs), model: names.number(model), wire, figures: figureTexts(figures) })),
    ...found.late.flatMap(({ month, calls }) => calls.map((line) => callsLine(names, 'late', month, line))),
    ...found.corrections.map((each): MonthLine => ({ ...each, model: names.number(each.model) })),
    ...(found.allocation === null ? [] : allocationLines(names, found.allocation)),
    totalLine(found),
  ];
  const digest = createHash('sha256');
  for (const line of [...names.lines, ...lines]) digest.update(signedLine(line), 'utf8');
  return { names: names.lines, parts: [...partsOf(lines)], digest: digest.digest('hex') };
}

class Names {
  readonly lines: NameLine[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #randomBytes: (n: number) => Uint8Array;

  constructor(randomBytes: (n: number) => Uint8Array) {
    this.#randomBytes = randomBytes;
  }

  /** 0 for none. */
  number(text: string): number {
    if (text === '') return 0;
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const salt = Buffer.from(this.#randomBytes(saltBytes)).toString('hex');
    const number = this.lines.length + 1;
    this.lines.push({ type: 'name', number, digest: hash('sha256', nameText(salt, text), 'hex'), salt, text });
    this.#numbers.set(text, number);
    return number;
  }
}

function callsLine(names: Names, type: 'calls' | 'late', month: string, { key, project, labels, model, wire, figures }: CallsLine): MonthLine {
  return {
    type, month, key, project: names.number(project), labels: labels.map((label) => names.number(label)), model: names.number(model), wire,
    figures: figureTexts(figures),
  };
}

function allocationLines(names: Names, { text, rules: { markup, currency }, made }: FrozenAllocation): MonthLine[] {
  const numberOf = (team: string | null): number | null => (team === null ? null : names.number(team));
  const money = (amount: bigint): string => formatDollars(amount as NanoDollars);
  return [
    {
      type: 'rules', text: names.number(text), markup: markup === 0n ? null : money(markup * 100_000n),
      currency: currency?.code ?? null, rate: currency === null ? null : money(currency.rate), rateDate: currency?.date ?? null,
    },
    ...made.lines.map(({ team, share, project, model, figures }): MonthLine => ({
      type: 'allocation', team: numberOf(team), share, project: names.number(project), model: names.number(model), figures: figureTexts(figures),
    })),
    ...made.teams.map(({ team, figures, converted, ...amounts }): MonthLine => ({
      type: 'team', team: numberOf(team), figures: figureTexts(figures), correction: money(amounts.correction), late: money(amounts.late),
      lateCorrection: money(amounts.lateCorrection), adjustedCost: money(amounts.adjustedCost), markup: money(amounts.markup),
      converted: converted === null ? null : money(converted),
    })),
  ];
}

function totalLine({ calls, late, corrections }: MonthToFreeze): MonthLine {
  const own = sumOfLines(calls);
  const lateCost = figureIn(sumOfLines(late.flatMap((each) => each.calls)), 'cost');
  const amountOf = (type: CorrectionFileLine['type']): bigint =>
    corrections.filter((each) => each.type === type).reduce((sum, { amount }) => sum + unformatDollars(amount), 0n);
  const [correction, lateCorrection] = [amountOf('correction'), amountOf('late_correction')];
  const text = (amount: bigint): string => formatDollars(amount as NanoDollars);
  return {
    type: 'total', figures: figureTexts(own), correction: text(correction), late: text(lateCost), lateCorrection: text(lateCorrection),
    adjustedCost: text(figureIn(own, 'cost') + correction + lateCost + lateCorrection),
  };
}

function* partsOf(lines: readonly MonthLine[]): Generator<MonthPart, void, undefined> {
  let content = '';
  for (const [index, line] of lines.entries()) {
    content += formatMonthLine(line);
    if (content.length < partCharacters && lines[index + 1]?.type === line.type) continue;
    yield { type: line.type, content };
    content = '';
  }
}
