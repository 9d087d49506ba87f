/** A closed month as the store keeps it → its lines, its total, its file. */
import {
  formatMonthLine, monthFileFormat, parseMonthLine, type MonthLine, type MonthLineType, type NameNumber, type TotalFileLine,
} from '@metergate/core/books/month/month-file.ts';
import type { ReceiptKey } from '@metergate/core/books/receipt/checkpoint.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { monthName } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth, MonthPart } from '@metergate/store/receipts/month-versions.ts';
import type { Store } from '@metergate/store/store.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';

/** The names of a closed month by their numbers; null: erased. 0 is none. */
export type MonthNames = ReadonlyMap<number, string | null>;

/** `among`: only these; a month may have a hundred thousand names, nearly all of them labels. */
export async function namesOfMonth(store: Store, closed: ClosedMonth, among?: Iterable<NameNumber>): Promise<MonthNames> {
  const asked = among === undefined ? undefined : [...new Set(among)].filter((number) => number !== 0).sort((one, other) => one - other);
  return new Map((await store.months.names(closed, asked)).map(({ number, text }) => [number, text]));
}

/** The lines of these types, in their order. */
export async function linesOfMonth<Type extends MonthLineType>(
  store: Store, closed: ClosedMonth, types: readonly Type[],
): Promise<(MonthLine & { readonly type: Type })[]> {
  const lines: MonthLine[] = [];
  for (const [index, part] of (await store.months.parts(closed, types)).entries()) {
    // A part is some milliseconds; a large month has hundreds.
    if (index > 0) await othersFirst();
    for (const line of linesOfPart(part)) lines.push(line);
  }
  return lines as (MonthLine & { readonly type: Type })[];
}

export async function totalOfMonth(store: Store, closed: ClosedMonth): Promise<TotalFileLine> {
  return (await linesOfMonth(store, closed, ['total']))[0] as TotalFileLine;
}

function linesOfPart({ content }: MonthPart): MonthLine[] {
  return content.trimEnd().split('\n').map((text) => parseMonthLine(text) as MonthLine);
}

const namesOfPiece = 1_000;

/**
 * The file in pieces. `keys`: all that the organization ever signed with, oldest first. `without`: names that are left out, as erasure leaves them
 * out; the file stays valid.
 */
export async function* monthFilePieces(
  store: Store, closed: ClosedMonth, { keys, without }: { readonly keys: readonly ReceiptKey[]; readonly without: ReadonlySet<number> },
): AsyncGenerator<Uint8Array> {
  const { organization, monthMs, version, closedAtMs, sequence, hash, digest, key, signature } = closed;
  const text = (content: string): Uint8Array => Buffer.from(content, 'utf8');
  yield text(formatMonthLine({
    type: 'month', format: monthFileFormat, organization, month: monthName(monthMs), version, closedAt: isoText(closedAtMs),
    sequence, hash, keys: keys.map(({ id, publicKey, follows }) => ({ id, publicKey, follows })),
  }));
  const names = await store.months.names(closed);
  for (let at = 0; at < names.length; at += namesOfPiece) {
    yield text(names.slice(at, at + namesOfPiece)
      .map((name) => formatMonthLine(without.has(name.number) ? { ...name, salt: null, text: null } : name)).join(''));
    await othersFirst();
  }
  for (const { content } of await store.months.parts(closed)) yield text(content);
  yield text(formatMonthLine({ type: 'end', digest, key, signature }));
}
