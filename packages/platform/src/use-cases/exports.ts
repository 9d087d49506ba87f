/**
 * The calls of a time as a file, made while it is sent: in constant memory, page by page, whatever the number of records. Design 3,
 * row 25; 5. What is refused is refused before the first byte. The figures of a whole export add up to those of `usage`.
 */
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import { z } from 'zod';
import type { ExportLines } from './export/export-lines.ts';
import { focusLines, type FocusRequest } from './export/focus-lines.ts';
import { csvLines, jsonLines } from './export/record-lines.ts';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { findFigures } from './organizations.ts';
import { priceBook } from './prices.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

export const exportFormats = ['jsonl', 'csv', 'parquet', 'focus'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportQuery {
  /** Id or name, of an erased organization its id alone. */
  readonly organization: string;
  readonly format: ExportFormat;
  /** Calls that started from this moment on. */
  readonly fromMs: number;
  /** Up to this moment, itself excluded. */
  readonly toMs: number;
}

/** A file to be made. Nothing is read before its first piece is asked for. */
export interface CallExport {
  readonly contentType: string;
  /** For those who name none. */
  readonly fileName: string;
  /** The whole text, piece by piece; `calls`: how many are in this piece. */
  readonly pieces: AsyncIterable<{ readonly text: string; readonly calls: number }>;
}

const fields = z.object({ fromMs: z.number(), toMs: z.number() })
  .refine(({ fromMs, toMs }) => fromMs < toMs, { error: 'The export must end after it begins: the end itself is not in it.' });

const csvType = 'text/csv; charset=utf-8; header=present';
export const exportTypes = ['application/x-ndjson', csvType] as const;

export async function exportCalls(context: UseCaseContext, query: ExportQuery): Promise<CallExport | AdministrationRefusal> {
  const checked = checkInput(fields, query);
  if (isRefusal(checked)) return checked;
  const { format, fromMs, toMs } = query;
  if (format === 'parquet') {
    return refuseInput('unsupported_format', 'Parquet cannot be written by this version. Export csv or jsonl, which tools for Parquet read.');
  }
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const book = format === 'focus' ? await priceBook(context) : null;
  if (isRefusal(book)) return book;
  const lines = linesOf(format, { account: organization, fromMs, toMs }, book);
  const days = [fromMs, toMs].map((atMs) => new Date(atMs).toISOString().slice(0, 10)).join('-to-');
  return {
    contentType: format === 'jsonl' ? 'application/x-ndjson' : csvType,
    fileName: `metergate-${format === 'focus' ? 'focus' : 'calls'}-${days}.${format === 'jsonl' ? 'jsonl' : 'csv'}`,
    pieces: piecesOf(lines, context.store.callWalk.walk({ organization: organization.id, fromMs, toMs })),
  };
}

function linesOf(format: Exclude<ExportFormat, 'parquet'>, context: Omit<FocusRequest, 'book'>, book: PriceBook | null): ExportLines {
  if (book !== null) return focusLines({ ...context, book });
  return format === 'jsonl' ? jsonLines() : csvLines();
}

async function* piecesOf(
  lines: ExportLines, pages: ReturnType<UseCaseContext['store']['callWalk']['walk']>,
): AsyncGenerator<{ readonly text: string; readonly calls: number }> {
  if (lines.head !== '') yield { text: lines.head, calls: 0 };
  for await (const page of pages) {
    yield { text: page.map((record) => lines.add(record)).join(''), calls: page.length };
    await othersFirst();
  }
  const left = lines.end();
  if (left !== '') yield { text: left, calls: 0 };
}
