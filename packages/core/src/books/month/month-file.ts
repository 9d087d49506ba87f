/**
 * A closed month as a file: JSON Lines. A head, the names, the lines of figures, a signed end. docs/month.md specifies the form.
 * The end signs a digest of everything between head and end; a name counts in it only by its salted digest, so a file whose names were erased
 * still verifies.
 */
import { formatDollars, unformatDollars, type NanoDollars } from '../../money.ts';
import { joinFields, type Field } from '../receipt/fields.ts';
import type { ReceiptKey } from '../receipt/checkpoint.ts';
import { isReceiptKey } from '../receipt/receipt-file.ts';
import { usageFigureNames, type UsageFigures } from '../../report/usage-sum.ts';

export const monthFileFormat = 'metergate-month-1';

/** Its place in the list of names, from 1; 0: none. */
export type NameNumber = number;

/** A figure as text: whole numbers in decimal, money with nine places. */
export type FigureTexts = Readonly<Record<string, string>>;

export interface MonthHead {
  readonly type: 'month';
  readonly format: typeof monthFileFormat;
  readonly organization: string;
  /** `2026-10`. */
  readonly month: string;
  /** From 1; each closing after a reopening is one more. */
  readonly version: number;
  readonly closedAt: string;
  /** Where the chain of receipts ended: what came later is not in the month. */
  readonly sequence: number;
  readonly hash: string;
  readonly keys: readonly ReceiptKey[];
}

export interface NameLine {
  readonly type: 'name';
  readonly number: NameNumber;
  readonly digest: string;
  /** Null, like the text: erased. */
  readonly salt: string | null;
  readonly text: string | null;
}

export interface CallsFileLine {
  /** `late`: calls of an earlier month that was closed without them. */
  readonly type: 'calls' | 'late';
  /** The month that they belong to by their start. */
  readonly month: string;
  readonly key: string;
  readonly project: NameNumber;
  readonly labels: readonly NameNumber[];
  readonly model: NameNumber;
  readonly wire: string;
  readonly figures: FigureTexts;
}

interface DayFileLine {
  readonly type: 'day';
  readonly day: string;
  readonly model: NameNumber;
  readonly wire: string;
  readonly figures: FigureTexts;
}

export interface CorrectionFileLine {
  /** `late_correction`: what a correction of an earlier month came to since that month was closed. */
  readonly type: 'correction' | 'late_correction';
  readonly month: string;
  /** `bill`: a provider's bill was recorded. `prices`: calls were priced again. */
  readonly source: 'bill' | 'prices';
  /** Of `prices` the wire, which may be none of the providers'. */
  readonly provider: string;
  readonly day: string;
  readonly model: NameNumber;
  /** Added to the cost. */
  readonly amount: string;
  /** SHA-256 of the bill; null: there is none, or it was removed. */
  readonly bill: string | null;
}

/** A node whose calls were not waited for. */
export interface WithoutFileLine {
  readonly type: 'without';
  readonly node: string;
  readonly reason: string;
}

/** The rules by which the month was allocated. */
export interface RulesFileLine {
  readonly type: 'rules';
  readonly text: NameNumber;
  /** Percent; null, like the next ones: none. */
  readonly markup: string | null;
  readonly currency: string | null;
  /** How much of the currency a US dollar is, and of which day that is. */
  readonly rate: string | null;
  readonly rateDate: string | null;
}

/** What a team pays for calls of the month's own. */
export interface AllocationFileLine {
  readonly type: 'allocation';
  /** Null: unallocated. */
  readonly team: NameNumber | null;
  /** `own`: a rule names the team. `split`: its part of what several pay. */
  readonly share: 'own' | 'split';
  readonly project: NameNumber;
  readonly model: NameNumber;
  readonly figures: FigureTexts;
}

/** All that a team pays. */
interface TeamFileLine extends Omit<TotalFileLine, 'type'> {
  readonly type: 'team';
  readonly team: NameNumber | null;
  readonly markup: string;
  /** Adjusted cost and markup in the currency; null: none is set. */
  readonly converted: string | null;
}

export interface TotalFileLine {
  readonly type: 'total';
  readonly figures: FigureTexts;
  readonly correction: string;
  /** Cost of late calls, and of late corrections. */
  readonly late: string;
  readonly lateCorrection: string;
  /** Cost, correction, late and late correction together. */
  readonly adjustedCost: string;
}

export type MonthLine = CallsFileLine | DayFileLine | CorrectionFileLine | WithoutFileLine
  | RulesFileLine | AllocationFileLine | TeamFileLine | TotalFileLine;
export type MonthLineType = MonthLine['type'];

export interface MonthEnd {
  readonly type: 'end';
  /** SHA-256 of the lines between head and end, in the form that is signed. */
  readonly digest: string;
  /** Id of the key that signed. */
  readonly key: string;
  readonly signature: string;
}

/** What a signature says. */
export type MonthStatement =
  Pick<MonthHead, 'organization' | 'month' | 'version' | 'closedAt' | 'sequence' | 'hash'> & Pick<MonthEnd, 'digest' | 'key'>;

/** The text that is signed. Its first line names its form, so that no signature of one form serves another. */
export function monthText({ organization, month, version, closedAt, sequence, hash, digest, key }: MonthStatement): string {
  return `${monthFileFormat}\n${joinFields([organization, month, String(version), closedAt, String(sequence), hash, digest, key])}`;
}

/** What is hashed for a name. */
export function nameText(salt: string, text: Field): string {
  return `metergate-name-1\n${joinFields([salt, text])}`;
}

/** Figures of calls as texts, in the order of `usageFigureNames`. */
export function figureTexts(figures: UsageFigures): FigureTexts {
  return Object.fromEntries(usageFigureNames.map((name, index) => {
    const figure = BigInt(figures[index] ?? 0);
    return [name, isMoney(name) ? formatDollars(figure as NanoDollars) : String(figure)];
  }));
}

/** Reads the figures that were written as text. */
export function figuresOfTexts(texts: FigureTexts): UsageFigures {
  return usageFigureNames.map((name) => {
    const text = texts[name] ?? '0';
    const figure = isMoney(name) ? (unformatDollars(text) as bigint) : BigInt(text);
    const small = Number(figure);
    return Number.isSafeInteger(small) ? small : figure;
  });
}

function isMoney(name: string): boolean {
  return name === 'cost' || name === 'cacheSavings';
}

/** The form in which a line counts in the digest: a name without what may be erased. With its line feed. */
export function signedLine(line: NameLine | MonthLine): string {
  return line.type === 'name' ? `${JSON.stringify({ type: 'name', number: line.number, digest: line.digest })}\n` : formatMonthLine(line);
}

const orderOf = {
  month: ['type', 'format', 'organization', 'month', 'version', 'closedAt', 'sequence', 'hash', 'keys'],
  name: ['type', 'number', 'digest', 'salt', 'text'],
  calls: ['type', 'month', 'key', 'project', 'labels', 'model', 'wire', 'figures'],
  day: ['type', 'day', 'model', 'wire', 'figures'],
  correction: ['type', 'month', 'source', 'provider', 'day', 'model', 'amount', 'bill'],
  without: ['type', 'node', 'reason'],
  rules: ['type', 'text', 'markup', 'currency', 'rate', 'rateDate'],
  allocation: ['type', 'team', 'share', 'project', 'model', 'figures'],
  team: ['type', 'team', 'figures', 'correction', 'late', 'lateCorrection', 'adjustedCost', 'markup', 'converted'],
  total: ['type', 'figures', 'correction', 'late', 'lateCorrection', 'adjustedCost'],
  end: ['type', 'digest', 'key', 'signature'],
} as const;

/** The line with its line feed; members in a fixed order. */
export function formatMonthLine(line: MonthHead | NameLine | MonthLine | MonthEnd): string {
  const names: readonly string[] = orderOf[formOf(line.type)];
  const members = line as unknown as Readonly<Record<string, unknown>>;
  return `${JSON.stringify(Object.fromEntries(names.map((name) => [name, members[name]])))}\n`;
}

/** A line without its line feed; null: it is not one that `formatMonthLine` writes. */
export function parseMonthLine(text: string): MonthHead | NameLine | MonthLine | MonthEnd | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string' || !isLineType(value.type)) return null;
  const line = value as MonthHead | NameLine | MonthLine | MonthEnd;
  const names: readonly string[] = orderOf[formOf(line.type)];
  const isWritten = names.every((name) => Object.hasOwn(line, name)) && formatMonthLine(line) === `${text}\n`;
  return isWritten && hasItsTypes(line) ? line : null;
}

/** Whether what a verifier computes with has its type. Figures are read by `LineSums`. */
function hasItsTypes(line: MonthHead | NameLine | MonthLine | MonthEnd): boolean {
  switch (line.type) {
    case 'month':
      return areTexts(line.organization, line.month, line.closedAt, line.hash) && Array.isArray(line.keys) && line.keys.every(isReceiptKey);
    case 'name': return areTexts(line.digest, line.salt ?? '', line.text ?? '');
    case 'end': return areTexts(line.digest, line.key, line.signature);
    default: return true;
  }
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}

type Form = keyof typeof orderOf;

function formOf(type: string): Form {
  return type === 'late' ? 'calls' : type === 'late_correction' ? 'correction' : type as Form;
}

function isLineType(type: string): boolean {
  return Object.hasOwn(orderOf, formOf(type));
}
