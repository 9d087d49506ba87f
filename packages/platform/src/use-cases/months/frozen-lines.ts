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
import type { CallsLine, DayLine } from '@metergate/core/books/month/month-sums.ts';
import { Slices, type Slicewise } from '@metergate/core/books/slices.ts';
import { addUsage, figureIn, noUsage, type UsageFigures } from '@metergate/core/report/usage-sum.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';
import type { MonthPart } from '@metergate/store/receipts/month-versions.ts';

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

interface FrozenLines {
  readonly names: readonly NameLine[];
  readonly parts: readonly MonthPart[];
  /** SHA-256 of names and lines in the form that is signed, in hexadecimal. */
  readonly digest: string;
}

const saltBytes = 32;
/** About so long is the text of one row of the store. */
const partCharacters = 200_000;

/** In slices: a month may have a hundred thousand lines, and as many names. */
export function* frozenLines(found: MonthToFreeze, randomBytes: (n: number) => Uint8Array): Slicewise<FrozenLines> {
  const slices = new Slices();
  const names = new Names(randomBytes);
  const lines: MonthLine[] = [];
  for (const line of linesOf(found, names)) {
    lines.push(line);
    if (slices.isOver(line.type === 'calls' ? 1 + line.labels.length : 1)) yield;
  }
  const digest = createHash('sha256');
  for (const name of names.lines) {
    digest.update(signedLine(name), 'utf8');
    if (slices.isOver(1)) yield;
  }
  const parts: MonthPart[] = [];
  let content = '';
  for (const [index, line] of lines.entries()) {
    const text = formatMonthLine(line);
    digest.update(text, 'utf8');
    content += text;
    if (content.length >= partCharacters || lines[index + 1]?.type !== line.type) {
      parts.push({ type: line.type, content });
      content = '';
    }
    if (slices.isOver(1)) yield;
  }
  return { names: names.lines, parts, digest: digest.digest('hex') };
}

function* linesOf(found: MonthToFreeze, names: Names): Generator<MonthLine, void, undefined> {
  const [own, late] = [noUsage(), noUsage()];
  for (const each of found.without) yield { type: 'without', ...each };
  for (const line of found.calls) {
    addUsage(own, line.figures);
    yield callsLine(names, 'calls', found.month, line);
  }
  for (const { dayMs, model, wire, figures } of found.days) {
    yield { type: 'day', day: dayName(dayMs), model: names.number(model), wire, figures: figureTexts(figures) };
  }
  for (const { month, calls } of found.late) {
    for (const line of calls) {
      addUsage(late, line.figures);
      yield callsLine(names, 'late', month, line);
    }
  }
  for (const each of found.corrections) yield { ...each, model: names.number(each.model) };
  if (found.allocation !== null) yield* allocationLines(names, found.allocation);
  yield totalLine(found, own, figureIn(late, 'cost'));
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

function* allocationLines(names: Names, { text, rules: { markup, currency }, made }: FrozenAllocation): Generator<MonthLine, void, undefined> {
  const numberOf = (team: string | null): number | null => (team === null ? null : names.number(team));
  const money = (amount: bigint): string => formatDollars(amount as NanoDollars);
  yield {
    type: 'rules', text: names.number(text), markup: markup === 0n ? null : money(markup * 100_000n),
    currency: currency?.code ?? null, rate: currency === null ? null : money(currency.rate), rateDate: currency?.date ?? null,
  };
  for (const { team, share, project, model, figures } of made.lines) {
    const numbers = { team: numberOf(team), share, project: names.number(project), model: names.number(model) };
    yield { type: 'allocation', ...numbers, figures: figureTexts(figures) };
  }
  for (const { team, figures, converted, ...amounts } of made.teams) {
    yield {
      type: 'team', team: numberOf(team), figures: figureTexts(figures), correction: money(amounts.correction), late: money(amounts.late),
      lateCorrection: money(amounts.lateCorrection), adjustedCost: money(amounts.adjustedCost), markup: money(amounts.markup),
      converted: converted === null ? null : money(converted),
    };
  }
}

function totalLine({ corrections }: MonthToFreeze, own: UsageFigures, lateCost: bigint): MonthLine {
  const amountOf = (type: CorrectionFileLine['type']): bigint =>
    corrections.filter((each) => each.type === type).reduce((sum, { amount }) => sum + unformatDollars(amount), 0n);
  const [correction, lateCorrection] = [amountOf('correction'), amountOf('late_correction')];
  const text = (amount: bigint): string => formatDollars(amount as NanoDollars);
  return {
    type: 'total', figures: figureTexts(own), correction: text(correction), late: text(lateCost), lateCorrection: text(lateCorrection),
    adjustedCost: text(figureIn(own, 'cost') + correction + lateCost + lateCorrection),
  };
}
