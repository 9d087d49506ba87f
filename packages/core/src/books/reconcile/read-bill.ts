/**
 * A seller's export → a bill. Forms: docs/reconcile.md. @throws BillFault with a sentence for any other file, which names what was looked for.
 */
import type { Wire } from '../../wire/wire.ts';
import { BillFault, countKinds, type Bill, type BillLine, type BilledOperation } from './bill.ts';
import { joinedDays, type BillDay } from './bill-days.ts';
import { csvTable, type ExportRow } from './csv-rows.ts';
import { anthropicForms } from './forms/anthropic-forms.ts';
import { azureForms, bedrockForms, googleForms, routerForms } from './forms/cloud-forms.ts';
import type { ReadLine, RowForm, SellerForms } from './forms/form.ts';
import { openaiForms } from './forms/openai-forms.ts';
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
  const plain = text.replace(/^\uFEFF/, '').trimStart();
  const isJson = plain.startsWith('{') || plain.startsWith('[');
  const { lines, buckets, isEmpty } = isJson ? ofJson(seller, plain) : ofRows(seller, ...csvOf(plain));
  if (buckets.length === 0) {
    throw new BillFault(isEmpty ? 'The file has no lines of usage or cost.'
      : 'The file has no lines of models: all of its rows are of other services, or are no usage.');
  }
  const places = lines.reduce((most, each) => Math.max(most, each.places ?? -1), -1);
  return {
    lines: lines.map(({ line }) => line).filter(hasFigures), days: joinedDays(buckets), places: places < 0 ? null : places,
    roundedRows: !isJson, operations: operationsIn(lines), itemsApart: formsOf[seller].itemsApart,
    otherCurrency: lines.find(({ otherCurrency }) => otherCurrency !== undefined)?.otherCurrency ?? null,
  };
}

interface Found {
  readonly lines: readonly ReadLine[];
  readonly buckets: readonly BillDay[];
  /** The file itself has nothing. */
  readonly isEmpty: boolean;
}

function csvOf(text: string): readonly [rows: readonly ExportRow[], has: (name: string) => boolean] {
  const { names, rows } = csvTable(text);
  const known = new Set(names);
  return [rows, (name) => known.has(name)];
}

function ofJson(seller: BillSeller, text: string): Found {
  const values = valuesIn(text);
  if (values.length === 0) return { lines: [], buckets: [], isEmpty: true };
  const joined = joinedPages(values);
  const { pages } = formsOf[seller];
  if (pages === null || joined === null) {
    const rows = (joined ?? values).map(rowOfMembers);
    return ofRows(seller, rows, (name) => rows[0]?.get(name) !== undefined);
  }
  const lines: ReadLine[] = [];
  const buckets: BillDay[] = [];
  for (const bucket of joined) {
    const { results } = bucket;
    if (!Array.isArray(results) || !results.every(isObject)) throw unknownForm(seller);
    const day = pages.bucketOf(bucket);
    buckets.push(day);
    for (const result of results as JsonMembers[]) {
      const read = pages.read(day, result);
      if (read === null) throw unknownForm(seller);
      lines.push(read);
    }
  }
  return { lines, buckets, isEmpty: buckets.length === 0 };
}

function ofRows(seller: BillSeller, rows: readonly ExportRow[], has: (name: string) => boolean): Found {
  if (rows.length === 0) return { lines: [], buckets: [], isEmpty: true };
  const form = formsOf[seller].rows.find(({ columns }) => columns.every((names) => names.some(has)));
  if (form === undefined) throw unknownForm(seller);
  const lines = rows.map((row) => form.read(row)).filter((line) => line !== null);
  return { lines, buckets: lines.map(({ bucket }) => bucket), isEmpty: false };
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

function unknownForm(seller: BillSeller): BillFault {
  const { pages, rows } = formsOf[seller];
  const titles = [...(pages === null ? [] : [pages.title]), ...rows.map(({ title }: RowForm) => title)];
  return new BillFault(`The form of the file is not known. Of ${seller}, these are read: ${titles.join('; ')}. See docs/reconcile.md.`);
}
