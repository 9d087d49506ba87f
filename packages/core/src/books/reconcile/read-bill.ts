/**
 * A seller's export → a bill. Forms: docs/reconcile.md. @throws BillFault with a sentence for any other file, which names what was looked for.
 */
import type { Wire } from '../../wire/wire.ts';
import { BillFault, countKinds, type Bill, type BillLine, type BilledOperation } from './bill.ts';
import { joinedDays, type BillDay } from './bill-days.ts';
import { csvTable, type ExportRow } from './csv-rows.ts';
import { assertBillText } from './file-kind.ts';
import { anthropicForms } from './forms/anthropic-forms.ts';
import { azureForms, bedrockForms, googleForms, routerForms } from './forms/cloud-forms.ts';
import { bucketOfRow, firstOf, pacificBucketOfRow, type ReadLine, type RowForm, type SellerForms } from './forms/form.ts';
import { openaiForms } from './forms/openai-forms.ts';
import { cutDays, isCutInUtc, hoursOfRows, type RowHours } from './hours-of-rows.ts';
import { isObject, joinedPages, rowOfMembers, valuesIn, type JsonMembers } from './json-rows.ts';

/** Whose bills are read. The last four are of the declared upstream. */
export const billSellers = ['openai', 'anthropic', 'azure', 'google', 'bedrock', 'openrouter'] as const;
export type BillSeller = (typeof billSellers)[number];

/** The wire on which calls to a seller go. */
export const wireOfSeller: { readonly [S in BillSeller]: Wire } = {
  openai: 'openai', anthropic: 'anthropic', azure: 'upstream', google: 'upstream', bedrock: 'upstream', openrouter: 'upstream',
};

const formsOf: { readonly [S in BillSeller]: SellerForms } = {
  openai: openaiForms, anthropic: anthropicForms, azure: azureForms, google: googleForms, bedrock: bedrockForms, openrouter: routerForms,
};

/** An export, JSON or CSV, as lines. Throws a `BillFault`, which says what is wrong with the file. */
export function readBill(seller: BillSeller, text: string): Bill {
  assertBillText(text);
  const plain = text.replace(/^\uFEFF/, '').trimStart();
  const isJson = plain.startsWith('{') || plain.startsWith('[');
  const { lines, buckets, hours, isEmpty } = isJson ? ofJson(seller, plain) : ofRows(seller, csvOf(plain));
  if (buckets.length === 0) {
    throw new BillFault(isEmpty ? 'The file has no lines of usage or cost.'
      : 'The file has no lines of models: all of its rows are of other services, or are no usage.');
  }
  const places = lines.reduce((most, each) => Math.max(most, each.places ?? -1), -1);
  const days = joinedDays(buckets);
  return {
    lines: lines.map(({ line }) => line).filter(hasFigures), days, cutDays: hours === null ? new Set() : cutDays(days, hours),
    places: places < 0 ? null : places,
    roundedRows: !isJson, operations: operationsIn(lines), itemsApart: formsOf[seller].itemsApart,
    otherCurrency: lines.find(({ otherCurrency }) => otherCurrency !== undefined)?.otherCurrency ?? null,
  };
}

interface Found {
  readonly lines: readonly ReadLine[];
  readonly buckets: readonly BillDay[];
  /** That its rows name; null: they name none. */
  readonly hours: RowHours | null;
  /** The file itself is empty. */
  readonly isEmpty: boolean;
}

/** What a file has in rows, whatever its form. */
interface Rows {
  readonly rows: readonly ExportRow[];
  readonly has: (name: string) => boolean;
  /** The place of the first of them, as a person counts. */
  readonly first: number;
  /** All that a row says. */
  readonly textOf: (index: number) => string;
}

function csvOf(text: string): Rows {
  const { names, rows, textOf: textOfRow } = csvTable(text);
  const known = new Set(names);
  return { rows, has: (name) => known.has(name), first: 2, textOf: textOfRow };
}

function ofJson(seller: BillSeller, text: string): Found {
  const values = valuesIn(text);
  if (values.length === 0) return { lines: [], buckets: [], hours: null, isEmpty: true };
  const joined = joinedPages(values);
  const { pages } = formsOf[seller];
  if (pages === null || joined === null) {
    const others = joined === null || joined.length === 0 ? [] : sellersOfBucket(joined[0]!);
    if (others.length > 0) throw unknownForm(seller, others);
    const members = joined ?? values;
    const rows = members.map(rowOfMembers);
    return ofRows(seller, {
      rows, has: (name) => rows[0]?.get(name) !== undefined, first: 1, textOf: (index) => JSON.stringify(members[index]),
    });
  }
  const lines: ReadLine[] = [];
  const buckets: BillDay[] = [];
  for (const bucket of joined) {
    const { results } = bucket;
    const others = sellersOfBucket(bucket).filter((each) => each !== seller);
    if (others.length > 0 || !Array.isArray(results) || !results.every(isObject)) throw unknownForm(seller, others);
    const day = pages.bucketOf(bucket);
    buckets.push(day);
    for (const result of results as JsonMembers[]) {
      const read = pages.read(day, result);
      if (read === null) throw unknownForm(seller, []);
      lines.push(read);
    }
  }
  return { lines, buckets, hours: null, isEmpty: buckets.length === 0 };
}

function ofRows(seller: BillSeller, found: Rows): Found {
  const { rows, has } = found;
  if (rows.length === 0) return { lines: [], buckets: [], hours: null, isEmpty: true };
  const form = rowFormOf(seller, has);
  if (form === undefined) throw unknownForm(seller, billSellers.filter((each) => rowFormOf(each, has) !== undefined));
  // Where each request has its id, a line says that it is listed twice.
  if (!has('request_id') && isDoubled(found)) {
    throw new BillFault('Every row of the file stands in it more than once: an export was put into it twice. Compare it once.');
  }
  const { times } = form;
  const hours = times === undefined ? null : hoursOfRows(rows.values().map((row) => [firstOf(row, times[0]), firstOf(row, times[1])] as const));
  const bucketOf = formsOf[seller].pacificDays === true && hours !== null && !isCutInUtc(hours) ? pacificBucketOfRow : bucketOfRow;
  const lines = rows.map((row, index) => inRow(found.first + index, () => form.read(row, bucketOf))).filter((line) => line !== null);
  return { lines, buckets: lines.map(({ bucket }) => bucket), hours, isEmpty: false };
}

function rowFormOf(seller: BillSeller, has: Rows['has']): RowForm | undefined {
  return formsOf[seller].rows.find(({ columns }) => columns.every((names) => names.some(has)));
}

function isDoubled({ rows, textOf }: Rows): boolean {
  const start = textOf(0);
  if (!rows.some((_, index) => index > 0 && textOf(index) === start)) return false;
  const times = new Map<string, number>();
  for (const index of rows.keys()) times.set(textOf(index), (times.get(textOf(index)) ?? 0) + 1);
  return times.values().every((count) => count > 1);
}

/** A fault of one row says which. */
function inRow<Read>(number: number, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw error instanceof BillFault ? new BillFault(`Row ${number}: ${error.message}`) : error;
  }
}

/** Which operations are in the file; null: some line does not say. */
function operationsIn(lines: readonly ReadLine[]): ReadonlySet<BilledOperation> | null {
  const found = new Set<BilledOperation>();
  for (const { line, operation } of lines) {
    if (line.item !== null && operation === undefined) continue;
    if (operation === undefined) return null;
    found.add(operation);
  }
  return found.size === 0 && lines.every(({ line }) => line.item === null) ? null : found;
}

/** A line of zeros says that there was nothing. */
function hasFigures({ counts, cost, item }: BillLine): boolean {
  if (cost !== null && cost !== 0n) return true;
  const known = countKinds.filter((kind) => counts[kind] !== undefined);
  if (known.length === 0) return cost === null && item !== null;
  return known.some((kind) => counts[kind] !== 0);
}

/** `others`: whose exports have the form of the file. */
function unknownForm(seller: BillSeller, others: readonly BillSeller[]): BillFault {
  const { pages, rows } = formsOf[seller];
  const titles = [...(pages === null ? [] : [pages.title]), ...rows.map(({ title }: RowForm) => title)];
  const hint = others.length === 0 ? '' : ` The file looks like an export of ${others.join(' or ')}: name that as the provider.`;
  return new BillFault(`The form of the file is not known. Of ${seller}, these are read: ${titles.join('; ')}. See docs/reconcile.md.${hint}`);
}

/** Whose pages have such buckets. */
function sellersOfBucket(bucket: JsonMembers): BillSeller[] {
  return 'starting_at' in bucket ? ['anthropic'] : 'start_time' in bucket ? ['openai'] : [];
}
