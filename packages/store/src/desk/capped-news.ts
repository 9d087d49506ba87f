/**
 * What people and labels with caps have spent, for a node that is alone with its store. It gets the sum of each once, and counts its own calls from
 * then on. Calls that ended before that, and are shipped later, it did not count: each is sent to it, once. A record says for whom its node
 * counted it. On a shared store nodes learn all of this with their leases.
 */
import type { OrganizationId, PersonId, ServiceKeyId } from '@metergate/core/id.ts';
import { subjectOf } from '@metergate/core/report/usage-sum.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import { addCall } from '@metergate/core/spend/spend-sum.ts';
import type { CallBatch, CallSink } from '../journal/call-sink.ts';
import type { CappedPlace, CappedSums, SpendSums } from '../spend/spend-sums.ts';
import type { FromStore, UncountedSpend } from './protocol.ts';

export interface CappedNews {
  /**
   * Reads what the node has to know before it serves calls of these keys under these settings. `told`: of `SpentNews`, before the reading.
   * Rejects if the store fails.
   */
  read(organization: OrganizationSettings, keys: readonly ServiceKeySettings[], told: number): Promise<void>;
  /** What was read and not sent so far, of that reading's number. The caller posts it, in the same turn. */
  tell(organization: OrganizationId, told: number): readonly CappedSums[];
  /** The sink, listened to. */
  hearing(sink: CallSink): CallSink;
}

/** Of a shared store. */
export const noCappedNews: CappedNews = Object.freeze({ read: () => Promise.resolve(), tell: () => [], hearing: (sink: CallSink) => sink });

interface Entry extends CappedSums {
  /** How far each segment had been shipped when the sums were read: what lies behind that is in them. */
  readonly marks: ReadonlyMap<string, number>;
  /** Of `SpentNews`: what it tells later is not in the sums. */
  readonly told: number;
}

interface CappedNewsOptions {
  readonly spend: Pick<SpendSums, 'cappedSums'>;
  /** Wall time, milliseconds since the epoch. */
  readonly clock: () => number;
  readonly post: (message: FromStore) => void;
}

export function createCappedNews(options: CappedNewsOptions): CappedNews {
  return new NewsOfCapped(options);
}

class NewsOfCapped implements CappedNews {
  readonly #options: CappedNewsOptions;
  readonly #told = new Map<string, Entry>();
  /** Read and not sent. */
  readonly #read = new Map<string, Entry>();
  readonly #people = new Map<ServiceKeyId, PersonId>();
  /** Batches that were shipped while something was being read. */
  #meanwhile: CallBatch[] = [];
  #reading = 0;

  constructor(options: CappedNewsOptions) {
    this.#options = options;
  }

  async read(organization: OrganizationSettings, keys: readonly ServiceKeySettings[], told: number): Promise<void> {
    for (const { id, person } of keys) if (person !== null) this.#people.set(id, person);
    const places = placesOf(organization, keys).filter((place) => !this.#told.has(nameOf(place)));
    if (places.length === 0) return;
    this.#reading += 1;
    try {
      const { spent, marks } = await this.#options.spend.cappedSums(places, this.#options.clock());
      const read = spent.map((sums) => ({ ...sums, marks, told }));
      for (const entry of read) this.#keep(entry);
      for (const batch of this.#meanwhile) this.#add(batch, new Map(read.map((entry) => [nameOf(entry), entry])));
    } finally {
      this.#reading -= 1;
      if (this.#reading === 0) this.#meanwhile = [];
    }
  }

  tell(organization: OrganizationId, told: number): readonly CappedSums[] {
    const found = [...this.#read.values()].filter((entry) => entry.organization === organization && entry.told === told);
    for (const entry of found) {
      this.#read.delete(nameOf(entry));
      this.#told.set(nameOf(entry), entry);
    }
    return found.map(({ scope, subject, sums }) => ({ organization, scope, subject, sums }));
  }

  hearing(sink: CallSink): CallSink {
    return {
      mark: (segment, whose) => sink.mark(segment, whose),
      recorded: (openings) => sink.recorded(openings),
      ship: async (batch) => {
        await sink.ship(batch);
        if (this.#reading > 0) this.#meanwhile.push(batch);
        if (this.#read.size > 0) this.#add(batch, this.#read);
        if (this.#told.size > 0) this.#post(batch);
      },
    };
  }

  /** Of two readings that overlap, the one that began after more was sent. */
  #keep(entry: Entry): void {
    const name = nameOf(entry);
    if (!this.#told.has(name) && entry.told >= (this.#read.get(name)?.told ?? 0)) this.#read.set(name, entry);
  }

  #add(batch: CallBatch, entries: ReadonlyMap<string, Entry>): void {
    for (const [{ sums }, { startedAtMs, cost }] of this.#uncounted(batch, entries)) addCall(sums, startedAtMs, cost);
  }

  #post(batch: CallBatch): void {
    const uncounted = [...this.#uncounted(batch, this.#told)]
      .map(([{ organization, scope, subject }, { startedAtMs, cost }]): UncountedSpend => ({ organization, scope, subject, startedAtMs, cost }));
    if (uncounted.length > 0) this.#options.post({ kind: 'uncounted', uncounted });
  }

  /** Settlements are sent by themselves, wherever they come from. */
  *#uncounted({ segment, records }: CallBatch, entries: ReadonlyMap<string, Entry>): Generator<[Entry, CallBatch['records'][number]['record']]> {
    for (const { seq, record } of records) {
      const { organization, key, labels, cost, kind, countedFor } = record;
      if (kind !== 'call' || cost === null || cost === 0n) continue;
      const person = this.#people.get(key);
      const found = person === undefined || countedFor?.person === person ? []
        : [entries.get(nameOf({ organization, scope: 'person', subject: person }))];
      for (const label of new Set(labels.map(subjectOf))) {
        if (countedFor?.labels.includes(label) !== true) found.push(entries.get(nameOf({ organization, scope: 'label', subject: label })));
      }
      for (const entry of found) if (entry !== undefined && seq > (entry.marks.get(segment) ?? 0)) yield [entry, record];
    }
  }
}

/** The labels with caps, and the people with caps whose keys these are. */
function placesOf({ id: organization, caps }: OrganizationSettings, keys: readonly ServiceKeySettings[]): CappedPlace[] {
  const places = new Map<string, CappedPlace>();
  for (const { scope, subject } of caps) {
    if (subject === null || (scope !== 'label' && !(scope === 'person' && keys.some(({ person }) => person === subject)))) continue;
    const place = { organization, scope, subject };
    places.set(nameOf(place), place);
  }
  return [...places.values()];
}

function nameOf({ organization, scope, subject }: CappedPlace): string {
  return `${organization} ${scope} ${subject}`;
}
