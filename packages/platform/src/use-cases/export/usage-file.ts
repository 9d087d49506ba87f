/**
 * The whole list of usage as a file, piece by piece: of any length, and no more of it is in memory than an answer has. Decision 271.
 */
import { streamComparedUsage, type ComparedRequest, type ComparedUsage } from '../compared-usage.ts';
import type { UseCaseContext } from '../context.ts';
import type { ExportPiece } from '../exports.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { rankedUsage, type UsageOrder } from '../top-usage.ts';
import type { CsvForm } from './csv.ts';
import { rowsOfPiece, usageCsvPieces } from './usage-csv.ts';

interface UsageFileForm {
  readonly format: 'csv' | 'json';
  /** Of a CSV file. */
  readonly form: CsvForm;
  /** Absent: the costliest first, times in order. A file that is longer than an answer is in parts, each in this order. */
  readonly order: UsageOrder | undefined;
  /** With corrections from bills. */
  readonly adjusted: boolean;
}

type Batches = AsyncIterable<readonly ComparedUsage[]>;

/** Refuses what the same question refuses as an answer, but for its length. */
export async function usageFile(
  context: UseCaseContext, question: ComparedRequest, { format, form, order, adjusted }: UsageFileForm,
): Promise<AsyncIterable<ExportPiece> | AdministrationRefusal> {
  const found = await streamComparedUsage(context, question, { adjusted });
  if (isRefusal(found)) return found;
  const ordered = order === undefined ? found.batches : inOrder(found.batches, order);
  return piecesOf(format === 'json' ? jsonPieces(ordered) : usageCsvPieces(question.by, ordered, form));
}

async function* inOrder(batches: Batches, order: UsageOrder): AsyncGenerator<readonly ComparedUsage[]> {
  for await (const rows of batches) yield rankedUsage(rows, order);
}

/** One row on each line, so that a reader need not hold the whole text. */
async function* jsonPieces(batches: Batches): AsyncGenerator<string> {
  let before = '[\n';
  for await (const rows of batches) {
    for (let at = 0; at < rows.length; at += rowsOfPiece) {
      yield before + rows.slice(at, at + rowsOfPiece).map((row) => JSON.stringify(row)).join(',\n');
      before = ',\n';
    }
  }
  yield before === '[\n' ? '[]' : '\n]';
}

async function* piecesOf(texts: AsyncIterable<string>): AsyncGenerator<ExportPiece> {
  for await (const text of texts) yield { bytes: Buffer.from(text, 'utf8'), calls: 0, cost: 0n as ExportPiece['cost'], place: null };
}
