/**
 * The whole list of usage as a file, piece by piece. Usage alone is of any length, and no more of it is in memory than an answer has. With
 * corrections beside it, or by person, it is as long as an answer. Decision 271.
 */
import { showComparedUsage, type ComparedRequest, type ComparedUsage } from '../compared-usage.ts';
import type { UseCaseContext } from '../context.ts';
import type { ExportPiece } from '../exports.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { rankedUsage, type UsageOrder } from '../top-usage.ts';
import { streamUsage, type AskedDimension, type UsageRequest } from '../usage.ts';
import type { CsvForm } from './csv.ts';
import { usageCsv, usageCsvPieces } from './usage-csv.ts';

export interface UsageFileForm {
  readonly format: 'csv' | 'json';
  /** Of a CSV file. */
  readonly form: CsvForm;
  /** Absent: the costliest first, times in order. A file that is longer than an answer is in parts, each in this order. */
  readonly order: UsageOrder | undefined;
  /** With corrections from bills. */
  readonly adjusted: boolean;
}

type Batches = AsyncIterable<readonly ComparedUsage[]>;

/** Refuses what the same question refuses as an answer, but for its length where it is usage alone. */
export async function usageFile(
  context: UseCaseContext, question: ComparedRequest, { format, form, order, adjusted }: UsageFileForm,
): Promise<AsyncIterable<ExportPiece> | AdministrationRefusal> {
  const { by } = question;
  const isUsageAlone = !adjusted && !by.includes('person');
  const batches = isUsageAlone ? await streamed(context, question as UsageRequest) : await whole(context, question, adjusted);
  if (isRefusal(batches)) return batches;
  const ordered = order === undefined ? batches : inOrder(batches, order);
  if (format === 'json') return piecesOf(jsonPieces(ordered));
  return piecesOf(isUsageAlone ? usageCsvPieces(by, ordered, form) : wholeCsv(by, ordered, form));
}

async function streamed(context: UseCaseContext, question: UsageRequest): Promise<Batches | AdministrationRefusal> {
  const found = await streamUsage(context, question);
  return isRefusal(found) ? found : found.batches;
}

async function whole(context: UseCaseContext, question: ComparedRequest, adjusted: boolean): Promise<Batches | AdministrationRefusal> {
  const rows = await showComparedUsage(context, question, { adjusted });
  return isRefusal(rows) ? rows : (async function* one() { yield rows; })();
}

async function* inOrder(batches: Batches, order: UsageOrder): AsyncGenerator<readonly ComparedUsage[]> {
  for await (const rows of batches) yield rankedUsage(rows, order);
}

/** The columns of something beside usage are known by its rows. */
async function* wholeCsv(by: readonly AskedDimension[], batches: Batches, form: CsvForm): AsyncGenerator<string> {
  for await (const rows of batches) yield usageCsv(by, rows, form);
}

async function* jsonPieces(batches: Batches): AsyncGenerator<string> {
  let before = '[';
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    yield before + JSON.stringify(rows).slice(1, -1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

async function* piecesOf(texts: AsyncIterable<string>): AsyncGenerator<ExportPiece> {
  for await (const text of texts) yield { bytes: Buffer.from(text, 'utf8'), calls: 0, cost: 0n as ExportPiece['cost'], place: null };
}
