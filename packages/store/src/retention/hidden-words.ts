/**
 * What is read of an erased organization: its figures, and none of its words. Its first transaction erases no word of records and sums, which takes
 * slices, so from its commit on words are hidden here: the one place that every reader of words goes through. A question by a word finds no call, and
 * a report by words has one row without a name, as after the last slice. Rule 23; decision 66.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { MonthRecord } from '@metergate/core/books/month/month-sums.ts';
import type { CallPages } from '../calls/call-pages.ts';
import type { CallWalk } from '../calls/call-walk.ts';
import type { Engine } from '../engine/engine.ts';
import { withoutWords } from '../operation/erased.ts';
import type { ChainedCall } from '../receipts/chain-reading.ts';
import type { MonthWalk } from '../receipts/month-walk.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { CorrectedColumn, StoredCallCorrections } from '../spend/call-corrections.ts';
import type { UsedNames } from '../usage/names-used.ts';
import type { UsageReports } from '../usage/usage-reports.ts';

/** Whatever reads words of calls. */
interface WordReaders {
  readonly callPages: CallPages;
  readonly callWalk: CallWalk;
  readonly usageReports: UsageReports;
  readonly usedNames: UsedNames;
  readonly monthWalk: MonthWalk;
  readonly callCorrections: StoredCallCorrections;
  readonly receipts: Receipts;
}

type IsErased = (organization: OrganizationId) => Promise<boolean>;

/** Dimensions and filters that are words of the caller or the provider; an upstream is read from the path. */
const words: ReadonlySet<string> = new Set(['model', 'requestedModel', 'project', 'label', 'labels', 'run', 'session', 'upstream']);
const isWord = (dimension: string): boolean => words.has(dimension);

/** The same readers, which show no word of an erased organization. */
export function hidingErasedWords(engine: Engine, readers: WordReaders): WordReaders {
  const isErased = lookingIn(engine);
  return {
    ...recordsHiding(isErased, readers), ...walksHiding(isErased, readers),
    usageReports: reportsHiding(isErased, readers.usageReports),
    usedNames: {
      async holding(search) {
        const found = await readers.usedNames.holding(search);
        return await isErased(search.organization) ? { projects: [], models: [], labels: [], runs: [] } : found;
      },
    },
    callCorrections: correctionsHiding(isErased, readers.callCorrections),
  };
}

/** Asked after the words are read: who asks before an erasure begins and reads afterwards would show them. An erased organization stays erased. */
function lookingIn(engine: Engine): IsErased {
  const known = new Set<string>();
  return async (organization) => {
    if (known.has(organization)) return true;
    const found = await engine.read((db) => db.selectFrom('erased_organization').select('organization').where('organization', '=', organization)
      .executeTakeFirst());
    if (found !== undefined) known.add(organization);
    return found !== undefined;
  };
}

/** Whether words tell rows apart, or are asked for. */
function asksForWords({ by = [], filter = {} }: { readonly by?: readonly string[]; readonly filter?: object }): boolean {
  return by.some(isWord) || Object.entries(filter).some(([name, value]) => isWord(name) && value !== undefined);
}

/** The rest of a filter for calls that have no words. Null: it asks for a word, and so for no call. */
function withoutWordsIn<Filter extends object>(filter: Filter): Filter | null {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (given.some(([name, value]) => isWord(name) && value !== '')) return null;
  return Object.fromEntries(given.filter(([name]) => !isWord(name))) as Filter;
}

function recordsHiding(isErased: IsErased, { callPages, receipts }: WordReaders): Pick<WordReaders, 'callPages' | 'receipts'> {
  const bare = (call: ChainedCall): ChainedCall => ({ ...call, record: withoutWords(call.record) });
  return {
    callPages: {
      async page(query) {
        const found = await callPages.page(query);
        if (found === null || !await isErased(query.organization)) return found;
        return withoutWordsIn(query.filter ?? {}) === null ? [] : found.map(withoutWords);
      },
      async beganBy(organization, run) {
        const key = await callPages.beganBy(organization, run);
        return key !== null && await isErased(organization) ? null : key;
      },
      async find(organization, id) {
        const found = await callPages.find(organization, id);
        return found !== null && await isErased(found.organization) ? withoutWords(found) : found;
      },
    },
    receipts: {
      ...receipts,
      async page(organization, span) {
        const found = await receipts.page(organization, span);
        return await isErased(organization) ? found.map(bare) : found;
      },
      async find(call, within) {
        const found = await receipts.find(call, within);
        return found !== null && await isErased(found.record.organization) ? bare(found) : found;
      },
    },
  };
}

function walksHiding(isErased: IsErased, { callWalk, monthWalk }: WordReaders): Pick<WordReaders, 'callWalk' | 'monthWalk'> {
  /** A walk is long: an erasure may begin between two pages. */
  async function* hiding<Item>(
    organization: OrganizationId, pages: AsyncGenerator<readonly Item[], void, undefined>, bare: (item: Item) => Item,
  ): AsyncGenerator<readonly Item[], void, undefined> {
    for await (const page of pages) yield await isErased(organization) ? page.map(bare) : page;
  }
  const bareRecord = (record: MonthRecord): MonthRecord => ({ ...record, project: null, labels: [], model: null, requestedModel: null });
  return {
    callWalk: {
      walk: (query) => hiding(query.organization, callWalk.walk(query), ({ record, place }) => ({ record: withoutWords(record), place })),
      async *costs(query) {
        const { organization, project, label } = query;
        for await (const page of callWalk.costs(query)) {
          if ((project !== undefined || label !== undefined) && await isErased(organization)) return;
          yield page;
        }
      },
    },
    monthWalk: {
      calls: (span) => hiding(span.organization, monthWalk.calls(span), bareRecord),
      callsAfter: (span) => hiding(span.organization, monthWalk.callsAfter(span), bareRecord),
    },
  };
}

function reportsHiding(isErased: IsErased, reports: UsageReports): UsageReports {
  return {
    async usage(query) {
      const { organization, by, filter = {} } = query;
      const found = await reports.usage(query);
      if (!asksForWords(query) || !await isErased(organization)) return found;
      const left = withoutWordsIn(filter);
      if (left === null) return [];
      const rest = by.filter((each) => !isWord(each));
      const rows = await reports.usage({ ...query, by: rest, filter: left });
      return rows?.map(({ subjects, figures }) => (
        { subjects: by.map((each) => (isWord(each) ? '' : subjects[rest.indexOf(each)]!)), figures })) ?? null;
    },
  };
}

function correctionsHiding(isErased: IsErased, corrections: StoredCallCorrections): StoredCallCorrections {
  return {
    ...corrections,
    async sums(query) {
      const { organization, by, filter } = query;
      const found = await corrections.sums(query);
      if (!asksForWords(query) || !await isErased(organization)) return found;
      const left = withoutWordsIn(filter);
      if (left === null) return [];
      const none = Object.fromEntries(by.filter(isWord).map((name) => [name, null])) as { readonly [Name in CorrectedColumn]?: null };
      const rows = await corrections.sums({ ...query, by: by.filter((each) => !isWord(each)), filter: left });
      return rows.map((row) => ({ ...row, parts: { ...none, ...row.parts } }));
    },
  };
}
