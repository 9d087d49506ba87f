/**
 * A file of a closed month, line by line → whether it is what was signed. It computes no hash and checks no signature itself: it yields each
 * question, as the rules of receipts do.
 */
import { followsWell, type Checking } from '../receipt/verify-receipts.ts';
import { LineSums } from './line-sums.ts';
import {
  monthFileFormat, monthText, nameText, parseMonthLine, signedLine, type MonthEnd, type MonthHead, type NameLine, type TotalFileLine,
} from './month-file.ts';

export type MonthFault =
  /** The line does not have the form of a line at this place. */
  | 'malformed'
  /** A name does not match its digest. */
  | 'name_differs'
  /** The lines are not those that were signed. */
  | 'lines_differ'
  | 'bad_signature'
  /** What was signed does not add up to its total. */
  | 'sums_differ'
  /** None of the file's keys is the given one, or a key is not signed by the one before it. */
  | 'unknown_key'
  /** The file stops before its end. */
  | 'cut';

export interface MonthVerdict {
  readonly valid: boolean;
  readonly fault: MonthFault | null;
  /** Number of the line with the fault, from 1; null: none. */
  readonly line: number | null;
  /** Null: there is no head that says so. Likewise the next ones. */
  readonly organization: string | null;
  readonly month: string | null;
  readonly version: number | null;
  readonly closedAt: string | null;
  readonly sequence: number | null;
  readonly hash: string | null;
  /** Of the lines, as signed. */
  readonly digest: string | null;
  /** Cost, corrections and what came late together; null: not read. */
  readonly adjustedCost: string | null;
  /** Names that were erased. */
  readonly withoutNames: number;
  readonly key: string | null;
}

/** Checks a file line by line. The first fault found is the verdict. */
export class MonthVerifier {
  /** Public keys that the reader trusts, 32 bytes each in base64; null: the file is only checked against itself. */
  readonly #trusted: readonly string[] | null;
  /** Takes the text of the lines that are signed, and tells its SHA-256 in hexadecimal. */
  readonly #digest: { update(text: string): void; hex(): string };
  #head: MonthHead | null = null;
  #end: MonthEnd | null = null;
  #total: TotalFileLine | null = null;
  readonly #sums = new LineSums();
  #names = 0;
  #withoutNames = 0;
  #line = 0;
  #afterNames = false;
  #fault: MonthFault | null = null;

  constructor(trusted: readonly string[] | null, digest: { update(text: string): void; hex(): string }) {
    this.#trusted = trusted;
    this.#digest = digest;
  }

  get failed(): boolean {
    return this.#fault !== null;
  }

  /** One line without its line feed. */
  *take(text: string): Checking {
    if (this.#fault !== null) return;
    this.#line += 1;
    const line = parseMonthLine(text);
    if (line === null || this.#end !== null || (line.type === 'month') !== (this.#head === null)) this.#fault = 'malformed';
    else if (line.type === 'month') this.#fault = yield* this.#checkHead(line);
    else if (line.type === 'name') this.#fault = yield* this.#checkName(line);
    else if (line.type === 'end') this.#fault = yield* this.#checkEnd(line);
    else {
      this.#afterNames = true;
      this.#sums.add(line);
      if (line.type === 'total') this.#total = line;
      this.#digest.update(signedLine(line));
    }
  }

  /** After the last line. */
  verdict(): MonthVerdict {
    const fault = this.#fault ?? (this.#end === null ? 'cut' : null);
    const head = this.#head;
    return {
      valid: fault === null, fault, line: fault === null ? null : this.#line, organization: head?.organization ?? null,
      month: head?.month ?? null, version: head?.version ?? null, closedAt: head?.closedAt ?? null, sequence: head?.sequence ?? null,
      hash: head?.hash ?? null, digest: this.#end?.digest ?? null, adjustedCost: this.#total?.adjustedCost ?? null, withoutNames: this.#withoutNames,
      key: this.#end?.key ?? null,
    };
  }

  *#checkHead(head: MonthHead): Checking<MonthFault | null> {
    this.#head = head;
    if (head.format !== monthFileFormat) return 'malformed';
    if (head.keys.length === 0 || (this.#trusted !== null && !head.keys.some(({ publicKey }) => this.#trusted!.includes(publicKey)))) {
      return 'unknown_key';
    }
    for (const [index, key] of head.keys.entries()) {
      if (!(yield* followsWell(head.organization, head.keys[index - 1], key))) return 'unknown_key';
    }
    return null;
  }

  *#checkName(line: NameLine): Checking<MonthFault | null> {
    this.#names += 1;
    if (this.#afterNames || line.number !== this.#names || (line.salt === null) !== (line.text === null)) return 'malformed';
    this.#digest.update(signedLine(line));
    if (line.salt === null) {
      this.#withoutNames += 1;
      return null;
    }
    return (yield { ask: 'sha256', text: nameText(line.salt, line.text) }) === line.digest ? null : 'name_differs';
  }

  *#checkEnd(end: MonthEnd): Checking<MonthFault | null> {
    if (end.digest !== this.#digest.hex()) return 'lines_differ';
    const head = this.#head!;
    const key = head.keys.find(({ id }) => id === end.key);
    if (key === undefined) return 'unknown_key';
    const text = monthText({ ...head, digest: end.digest, key: end.key });
    if (!(yield { ask: 'signature', text, publicKey: key.publicKey, signature: end.signature })) return 'bad_signature';
    if (this.#total === null || !this.#sums.comeTo(this.#total)) return 'sums_differ';
    this.#end = end;
    return null;
  }
}
