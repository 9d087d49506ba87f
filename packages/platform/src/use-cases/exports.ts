/**
 * The calls of a time range as a file, generated while it is sent: page by page, in constant memory. Rule 25; rules: Interfaces. A request is
 * refused before the first byte or not at all. The figures of a complete export add up to those of `usage`. An interrupted export can be
 * resumed from any piece.
 */
import { z } from 'zod';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import type { WalkedCall, WalkPlace } from '@metergate/store/calls/call-walk.ts';
import type { ExportForm } from './export/export-form.ts';
import { focusNames } from './export/focus-columns.ts';
import { focusLines, type FocusUpstream } from './export/focus-lines.ts';
import { parquetNames, parquetRows } from './export/parquet-rows.ts';
import { csvLines, jsonLines, recordColumns } from './export/record-lines.ts';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { findFigures } from './organizations.ts';
import { priceBook } from './prices.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';
import { declaredSellers, providerNameOf } from './repricing/declared-sellers.ts';
import { ownPrices } from './repricing/own-prices.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';

export const exportFormats = ['jsonl', 'csv', 'parquet', 'focus'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportQuery {
  /** Id or name, of an erased organization its id alone. */
  readonly organization: string;
  readonly format: ExportFormat;
  /** Calls that started from this moment on. */
  readonly fromMs: number;
  /** Up to this moment, excluded. */
  readonly toMs: number;
  /** Each call at the cost of its correction, where it has one (`reprice`). */
  readonly adjusted?: boolean;
  /** Where an earlier export of the same query stopped; what follows continues its file. */
  readonly resumeAt?: ExportPlace;
}

/** How to resume an export after one of its pieces. JSON. */
export interface ExportPlace {
  readonly startedAtMs: number;
  readonly sequence: string;
  readonly newest: string;
  readonly form: unknown;
}

/** Bytes of the file and the calls that are in them. In FOCUS a call belongs to the piece with its day's lines. */
export interface ExportPiece {
  readonly bytes: Uint8Array;
  readonly calls: number;
  /** What they cost, in nano-dollars. */
  readonly cost: bigint;
  /** Null: the export cannot be resumed after this piece. */
  readonly place: ExportPlace | null;
}

/** A file to be generated. Nothing is read before its first piece is asked for. */
export interface CallExport {
  readonly contentType: string;
  /** For callers that name no file. */
  readonly fileName: string;
  readonly pieces: AsyncIterable<ExportPiece>;
}

const fields = z.object({ fromMs: z.number(), toMs: z.number() })
  .refine(({ fromMs, toMs }) => fromMs < toMs, { error: 'The export must end after it begins; the end is exclusive.' });

const csvType = 'text/csv; charset=utf-8; header=present';
const contentTypes: { readonly [F in ExportFormat]: string } = {
  jsonl: 'application/x-ndjson', csv: csvType, parquet: 'application/vnd.apache.parquet', focus: csvType,
};
export const exportTypes: readonly string[] = [...new Set(Object.values(contentTypes))];

/**
 * An export, opened but not read yet: its rows are produced as they are taken. Refuses `unknown_organization`, an unknown format, and a position
 * to continue from that is not one of this export.
 */
export async function exportCalls(context: UseCaseContext, query: ExportQuery): Promise<CallExport | AdministrationRefusal> {
  const checked = checkInput(fields, query);
  if (isRefusal(checked)) return checked;
  const { format, fromMs, toMs, resumeAt } = query;
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const form = await formOf(context, query, organization);
  if (isRefusal(form)) return form;
  const days = [fromMs, toMs].map((atMs) => dayName(atMs)).join('-to-');
  const after = resumeAt === undefined ? {} : {
    after: { startedAtMs: resumeAt.startedAtMs, sequence: BigInt(resumeAt.sequence), newest: BigInt(resumeAt.newest) },
  };
  const recorded = context.store.callWalk.walk({ organization: organization.id, fromMs, toMs, ...after });
  const walk = unlessGone(context, query.adjusted === true ? atCorrectedCost(context, organization.id, recorded) : recorded, {
    organization: organization.id, knownMs: resumeAt === undefined ? organization.recordsGoneBeforeMs : null, fromMs: resumeAt?.startedAtMs ?? fromMs,
  });
  return {
    contentType: contentTypes[format],
    fileName: `metergate-${format === 'focus' ? 'focus' : 'calls'}-${days}.${format === 'focus' ? 'csv' : format}`,
    pieces: piecesOf(form, { walk, nameOf: keyNamesOf(context, organization.id), begins: resumeAt === undefined }),
  };
}

/** The same pages; a call that was priced again has the cost of its correction. */
async function* atCorrectedCost(
  { store }: UseCaseContext, organization: CallRecord['organization'], walk: AsyncIterable<readonly WalkedCall[]>,
): AsyncGenerator<readonly WalkedCall[]> {
  for await (const page of walk) {
    const corrections = await store.callCorrections.of({ organization, sequences: page.map(({ place }) => place.sequence) });
    yield corrections.size === 0 ? page : page.map((call) => {
      const made = corrections.get(call.place.sequence);
      if (made === undefined) return call;
      const { cost, costGaps, priceList } = made;
      const pricedBy = call.record.pricedBy ?? (call.record.model === null ? 'requested_model' : 'model');
      return { ...call, record: { ...call.record, cost, costGaps, priceList, costSource: 'priced', pricedBy, cacheSavings: null } };
    });
  }
}

/** A walk that began when records before `knownMs` were gone, and has come to `fromMs`. */
interface Standing {
  readonly organization: string;
  readonly knownMs: number | null;
  readonly fromMs: number;
}

/** The same pages. @throws StoreFault `records_gone` if records ahead of it are removed for their age: it would silently lack them. */
async function* unlessGone(
  { store }: UseCaseContext, walk: AsyncIterable<readonly WalkedCall[]>, { organization, knownMs, fromMs }: Standing,
): AsyncGenerator<readonly WalkedCall[]> {
  let atMs = fromMs;
  const assertThere = async (): Promise<void> => {
    const removedBeforeMs = (await store.retention.progress(organization))?.goneBeforeMs ?? null;
    if (removedBeforeMs === null || removedBeforeMs <= atMs || removedBeforeMs === knownMs) return;
    throw new StoreFault('records_gone', `Records before ${isoText(removedBeforeMs)} were removed for their age during the export. `
      + 'Export from that time on, as a new file.');
  };
  for await (const page of walk) {
    await assertThere();
    yield page;
    atMs = page.at(-1)!.place.startedAtMs;
  }
  await assertThere();
}

async function formOf(
  context: UseCaseContext, { format, fromMs, toMs, resumeAt }: ExportQuery, account: { readonly id: OrganizationId; readonly name: string },
): Promise<ExportForm | AdministrationRefusal> {
  switch (format) {
    case 'jsonl': return jsonLines();
    case 'csv': return csvLines();
    case 'parquet': return parquetRows(resumeAt === undefined ? {} : { state: resumeAt.form });
    case 'focus': {
      const book = await priceBook(context);
      if (isRefusal(book)) return book;
      const own = ownPrices(context, book);
      const upstreamNamed = await focusUpstreams(context, account.id, book);
      return focusLines({ account, pricesOf: (priceList) => own.of(priceList), upstreamNamed, fromMs, toMs });
    }
  }
}

/** The organization's upstreams with their providers, looked up once for each name. */
async function focusUpstreams(
  context: UseCaseContext, organization: OrganizationId, book: PriceBook,
): Promise<(name: string | null) => FocusUpstream> {
  const sellers = await declaredSellers(context, organization);
  const known = new Map<string | null, FocusUpstream>();
  return (name) => {
    let upstream = known.get(name);
    if (upstream === undefined) {
      const seller = sellers.named(name);
      if (known.size >= namesMax) known.clear();
      known.set(name, upstream = { ...seller, provider: providerNameOf(seller, book) });
    }
    return upstream;
  };
}

/** What the lines or columns of a format are called, in their order: only a file of the same can be continued. */
export function exportLayout(format: ExportFormat): readonly string[] {
  return { jsonl: recordColumns, csv: recordColumns, parquet: parquetNames, focus: focusNames }[format];
}

type NamesOfKeys = (calls: readonly WalkedCall[]) => Promise<ReadonlyMap<string, string>>;

const namesMax = 100_000;

/** Names of the keys of a page, remembered from page to page. */
function keyNamesOf({ store }: UseCaseContext, organization: CallRecord['organization']): NamesOfKeys {
  const known = new Map<string, string>();
  const asked = new Set<string>();
  return async (calls) => {
    const fresh = [...new Set(calls.map(({ record }) => record.key as string))].filter((key) => !asked.has(key));
    if (fresh.length > 0) {
      if (asked.size + fresh.length > namesMax) [known, asked].forEach((each) => each.clear());
      for (const [key, name] of await store.keyNames.names(organization, fresh)) known.set(key, name);
      for (const key of fresh) asked.add(key);
    }
    return known;
  };
}

interface Source {
  readonly walk: AsyncIterable<readonly WalkedCall[]>;
  readonly nameOf: NamesOfKeys;
  /** True: nothing of the file was written yet. */
  readonly begins: boolean;
}

async function* piecesOf(form: ExportForm, { walk, nameOf, begins }: Source): AsyncGenerator<ExportPiece> {
  if (begins && form.head.length > 0) yield { bytes: bytesOf([form.head]), calls: 0, cost: 0n, place: null };
  // Calls that the form has received, and how many of them it has written.
  let kept = { calls: 0, cost: 0n };
  let last: WalkPlace | null = null;
  for await (const page of walk) {
    const names = await nameOf(page);
    const out: (string | Uint8Array)[] = [];
    let done = { calls: 0, cost: 0n };
    let settled: WalkPlace | null = null;
    for (const { record, place } of page) {
      const ahead = form.ahead?.(record) ?? null;
      if (ahead !== null) await ahead;
      const released = form.add({ record, keyName: names.get(record.key) ?? null });
      const its = { calls: 1, cost: record.cost ?? 0n };
      if (released === null) kept = sum(kept, its);
      else {
        out.push(released.content);
        done = sum(done, released.holds === 'this' ? sum(kept, its) : kept);
        settled = released.holds === 'this' ? place : last;
        kept = released.holds === 'this' ? { calls: 0, cost: 0n } : its;
      }
      last = place;
    }
    if (out.length > 0) yield { bytes: bytesOf(out), ...done, place: placeAfter(form, settled) };
    await othersFirst();
  }
  yield { bytes: bytesOf([form.end()]), ...kept, place: null };
}

interface Counted {
  readonly calls: number;
  readonly cost: bigint;
}

function sum(one: Counted, other: Counted): Counted {
  return { calls: one.calls + other.calls, cost: one.cost + other.cost };
}

function placeAfter(form: ExportForm, place: WalkPlace | null): ExportPlace | null {
  return place === null ? null
    : { startedAtMs: place.startedAtMs, sequence: String(place.sequence), newest: String(place.newest), form: form.state() };
}

function bytesOf(contents: readonly (string | Uint8Array)[]): Uint8Array {
  if (contents.every((content) => typeof content === 'string')) return Buffer.from(contents.join(''), 'utf8');
  return Buffer.concat(contents.map((content) => (typeof content === 'string' ? Buffer.from(content, 'utf8') : content)));
}
