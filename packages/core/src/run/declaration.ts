/**
 * Raw header pairs → what a request declares about its run. Spec: Run; Common request elements; Errors 400.
 * Any `x-svc-run-*` line, known or not, requires the id. Several lines of one name are read as HTTP reads them, joined by a comma:
 * the result is not a valid id, budget, time limit or grant, so a doubled header is refused. Figures beyond 64 bits or the calendar saturate,
 * which is as close to the caller's wish as can be kept. The grant is passed on unread; grant.ts verifies it.
 */
import type { HeaderPairs } from '../call/header-pairs.ts';
import { header } from '../id.ts';
import { nanoDollars, nanoDollarsMax, type NanoDollars } from '../money.ts';
import { isRunId } from './run-id.ts';

/** What one request says about its run. */
export interface RunDeclaration {
  /** 1 to 128 visible ASCII characters. */
  readonly id: string;
  /** Positive; null if the request names none. */
  readonly budget: NanoDollars | null;
  /** Whole seconds from 1 to `ttlSecondsMax`; null if the request names none. */
  readonly ttlSeconds: number | null;
  /** The token, not verified; null if the request carries none. */
  readonly grant: string | null;
}

/** Why run headers cannot be read, in the order in which they are judged. */
export interface RunDeclarationRefusal {
  readonly kind: 'run_id_invalid' | 'run_budget_invalid' | 'run_ttl_invalid';
}

/** The last instant a calendar date can show, in milliseconds since the epoch (the year 275760). */
export const instantMsMax = 8.64e15;
/** A longer time limit is held as this one: some 273,790 years. */
export const ttlSecondsMax = instantMsMax / 1000;

const idInvalid: RunDeclarationRefusal = Object.freeze({ kind: 'run_id_invalid' });
const budgetInvalid: RunDeclarationRefusal = Object.freeze({ kind: 'run_budget_invalid' });
const ttlInvalid: RunDeclarationRefusal = Object.freeze({ kind: 'run_ttl_invalid' });

const budgetForm = /^(\d+)(?:\.(\d{1,6}))?$/;
const ttlForm = /^\d+$/;
/** Digits of the whole dollars in `nanoDollarsMax`: longer numbers saturate unread, so 16 KiB of digits cost nothing. */
const wholeDigitsMax = 10;
const ttlDigitsMax = 13;

const budgetHeader = `${header.runPrefix}budget`;
const ttlHeader = `${header.runPrefix}ttl`;
const grantHeader = `${header.runPrefix}grant`;

/** The run a request declares; null (the common case: one scan, nothing allocated) if it has no run header. */
export function runDeclarationOf(pairs: HeaderPairs): RunDeclaration | RunDeclarationRefusal | null {
  for (let at = 0; at < pairs.length; at += 2) {
    if (isRunHeader(pairs[at]!)) return readDeclaration(pairs, at);
  }
  return null;
}

/** The id of the run that a request names, whatever else it says of it; null: none that can be read. */
export function declaredRunId(pairs: HeaderPairs): string | null {
  for (let at = 0; at < pairs.length; at += 2) {
    if (!isRunHeader(pairs[at]!)) continue;
    const { id } = runLines(pairs, at);
    return id !== null && isRunId(id) ? id : null;
  }
  return null;
}

function readDeclaration(pairs: HeaderPairs, firstAt: number): RunDeclaration | RunDeclarationRefusal {
  const { id, budget: budgetText, ttl: ttlText, grant } = runLines(pairs, firstAt);
  if (id === null || !isRunId(id)) return idInvalid;
  const budget = budgetText === null ? null : parseBudget(budgetText);
  if (budgetText !== null && budget === null) return budgetInvalid;
  const ttlSeconds = ttlText === null ? null : parseTtlSeconds(ttlText);
  if (ttlText !== null && ttlSeconds === null) return ttlInvalid;
  return { id, budget, ttlSeconds, grant };
}

/** The value of each known name; null: no such line. */
interface RunLines {
  id: string | null;
  budget: string | null;
  ttl: string | null;
  grant: string | null;
}

function runLines(pairs: HeaderPairs, firstAt: number): RunLines {
  const lines: RunLines = { id: null, budget: null, ttl: null, grant: null };
  for (let at = firstAt; at < pairs.length; at += 2) {
    if (!isRunHeader(pairs[at]!)) continue;
    const name = pairs[at]!.toLowerCase();
    const value = pairs[at + 1]!;
    if (name === header.runId) lines.id = joined(lines.id, value);
    else if (name === budgetHeader) lines.budget = joined(lines.budget, value);
    else if (name === ttlHeader) lines.ttl = joined(lines.ttl, value);
    else if (name === grantHeader) lines.grant = joined(lines.grant, value);
  }
  return lines;
}

function joined(before: string | null, value: string): string {
  return before === null ? value : `${before}, ${value}`;
}

/** A positive decimal of dollars with at most six places; null for any other text. Beyond 64 bits it saturates. */
function parseBudget(text: string): NanoDollars | null {
  const match = budgetForm.exec(text);
  if (match === null) return null;
  const whole = withoutLeadingZeros(match[1]!);
  if (whole.length > wholeDigitsMax) return nanoDollarsMax;
  const amount = BigInt(whole + (match[2] ?? '').padEnd(9, '0'));
  return amount === 0n ? null : nanoDollars(amount);
}

/** Positive whole seconds; null for any other text. Beyond the calendar it saturates. */
function parseTtlSeconds(text: string): number | null {
  if (!ttlForm.test(text)) return null;
  const digits = withoutLeadingZeros(text);
  if (digits.length > ttlDigitsMax) return ttlSecondsMax;
  const seconds = Number(digits);
  return seconds === 0 ? null : Math.min(seconds, ttlSecondsMax);
}

function withoutLeadingZeros(digits: string): string {
  let from = 0;
  while (from < digits.length && digits.charCodeAt(from) === 0x30) from += 1;
  return digits.slice(from);
}

/** The dashes at their places rule out nearly every other header before a letter is folded. */
function isRunHeader(name: string): boolean {
  const length = header.runPrefix.length;
  if (name.length < length || name.charCodeAt(length - 1) !== 0x2d || name.charCodeAt(1) !== 0x2d) return false;
  return name.slice(0, length).toLowerCase() === header.runPrefix;
}
