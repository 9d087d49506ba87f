/**
 * Which settlements of a batch are kept, and what they change. Rule 6f. A provider's id of work is settled once: by the first record that tells what
 * it used, of whichever node, and by none after it. The call that began the work is then no longer unknown: the counts of the windows that
 * hold its start go down by one. Its record and receipt stay as they are but for the mark that says by which record it was settled.
 * One transaction at a time does this: it holds alone the lock that every other shipment holds shared.
 */
import { upstreamNameOf } from '@metergate/core/call/named-upstream.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { beginsWork } from '@metergate/core/usage/outcome-place.ts';
import type { Selectable } from 'kysely';
import { callRecordOf } from '../call-row.ts';
import { onBoth, onEach } from '../../engine/texts.ts';
import type { Send } from '../../engine/send.ts';
import type { CallRecordTable } from '../../schema/schema.ts';
import { storable } from '../../engine/storable.ts';
import { Works, type Work, type WorkName } from './work-rows.ts';

/** A record and its place in its journal. */
interface JournalledRecord {
  readonly seq: number;
  readonly record: CallRecord;
}

/** A call that was kept before, as it was before it was settled. */
export interface SettledCall {
  readonly record: CallRecord;
  readonly attribution: number;
  /** Id of the settlement. */
  readonly by: CallRecord['id'];
}

export interface Settling {
  /** What is to be kept: without settlements of what was settled before. */
  readonly records: readonly JournalledRecord[];
  readonly settled: readonly SettledCall[];
  /** Sends what the settlements change beside the sums. */
  write(send: Send): void;
}

/** Whether a batch says anything about work that goes on after its answer. */
export function concernsWork(records: readonly JournalledRecord[]): boolean {
  return records.some(({ record: { kind, works } }) => kind === 'settlement' || works.length > 0);
}

/** `rows`: of the batch, those that the store does not hold yet, in their order, without records of erased organizations. */
export async function settleWorks(kind: 'sqlite' | 'postgres', send: Send, rows: readonly JournalledRecord[]): Promise<Settling> {
  const work = new SettlingWork(kind, send, rows);
  await work.run();
  return work;
}

/** Locked, so that it does not go for its age meanwhile. */
const callById = onEach((engine) => `select * from call_record where organization = ${engine === 'sqlite' ? '?' : '$1'}
  and substr(id, 29, 8) = ${engine === 'sqlite' ? '?' : '$2'} and id = ${engine === 'sqlite' ? '?' : '$3 for update'}`);
const mark = onBoth('update call_record set settled_by = $1 where organization = $2 and substr(id, 29, 8) = $3 and id = $4 and settled_by is null');

class SettlingWork implements Settling {
  readonly #kind: 'sqlite' | 'postgres';
  readonly #send: Send;
  readonly #works: Works;
  readonly #rows: readonly JournalledRecord[];
  readonly #kept = new Map<string, JournalledRecord>();
  readonly settled: SettledCall[] = [];

  constructor(kind: 'sqlite' | 'postgres', send: Send, rows: readonly JournalledRecord[]) {
    this.#kind = kind;
    this.#send = send;
    this.#rows = rows;
    this.#works = new Works(kind, send);
  }

  get records(): readonly JournalledRecord[] {
    return [...this.#kept.values()];
  }

  async run(): Promise<void> {
    for (const { seq, record } of this.#rows) {
      const kept = record.kind === 'settlement' ? await this.#settlement(record) : record.works.length === 0 ? record : await this.#call(record);
      if (kept !== null) this.#kept.set(record.id, { seq, record: kept });
    }
  }

  write(send: Send): void {
    this.#works.write(send);
    for (const { record: { organization, id }, by } of this.settled) void send(mark[this.#kind], [by, organization, id.slice(-8), id]);
  }

  /** A call that began work, or whose answer names the files of work that has ended. */
  async #call(record: CallRecord): Promise<CallRecord> {
    const name = nameOf(record, 0);
    const known = await this.#works.find(name) ?? begun(name, record);
    if (!beginsWork(record)) {
      await this.#noteFiles(record, known);
      return record;
    }
    if (known.beganBy !== null) return record;
    const own = record.usage !== 'unknown' && known.settledBy === null;
    this.#works.set({ ...known, beganBy: record.id, beganMs: record.startedAtMs, path: record.path, settledBy: own ? record.id : known.settledBy });
    // The settlement came first, from another node. It does not know the call, so the call is marked as settled here.
    return record.usage === 'unknown' && known.settledBy !== null ? { ...record, settledBy: known.settledBy as CallRecord['id'] } : record;
  }

  /** Null: it was settled before, or is a file that no batch is known to have written, or one of what failed. */
  async #settlement(record: CallRecord): Promise<CallRecord | null> {
    if (record.works.length === 0) return record;
    const name = nameOf(record, 0);
    const named = await this.#works.find(name);
    const partOf = named === null ? null : named.partOf;
    // A batch writes what failed into a separate file: that all of it cost nothing shows nothing of what succeeded.
    if (isFile(record) && (partOf === null || record.usage === 'none')) return null;
    // It does not say how it was made: the usage of one that was answered at once is its own call's.
    if (isInteraction(record) && (named?.beganBy ?? null) === null) return null;
    const whole = partOf === null ? name : { ...name, work: partOf };
    const work = await this.#works.find(whole) ?? begun(whole, record);
    await this.#noteFiles(record, work);
    const files = await Promise.all(record.works.slice(1).map((_, index) => this.#works.find(nameOf(record, index + 1))));
    if (work.settledBy !== null || files.some((file) => file !== null && file.partOf !== work.work)) return null;
    this.#works.set({ ...work, settledBy: record.id, settledNumber: await this.#works.nextNumber() });
    return this.#attributed(record, work);
  }

  async #noteFiles(record: CallRecord, work: Work): Promise<void> {
    if (record.works.length < 2) return;
    this.#works.set(work);
    for (let index = 1; index < record.works.length; index += 1) {
      const name = nameOf(record, index);
      const known = await this.#works.find(name) ?? begun(name, record);
      // It may have been read before an answer named the batch that wrote it.
      if (known.partOf === null && known.beganBy === null && known.settledBy === null) this.#works.set({ ...known, partOf: work.work });
    }
  }

  /** It counts for whoever began the work. */
  async #attributed(record: CallRecord, { beganBy }: Work): Promise<CallRecord> {
    if (beganBy === null) return record;
    const settles = beganBy as CallRecord['id'];
    const beside = this.#kept.get(beganBy);
    const row = beside === undefined ? (await this.#send<Selectable<CallRecordTable>>(callById[this.#kind],
      [record.organization, beganBy.slice(-8), beganBy]))[0] : undefined;
    const call = beside?.record ?? (row === undefined ? null : callRecordOf(row));
    if (call === null) return { ...record, settles };
    if (call.usage === 'unknown' && call.settledBy === null) {
      if (row === undefined) this.#kept.set(beganBy, { seq: beside!.seq, record: { ...call, settledBy: record.id } });
      else this.settled.push({ record: call, attribution: Number(row.attribution), by: record.id });
    }
    const { key, project, labels, labelsDropped, run, session } = call;
    return { ...record, settles, key, project, labels, labelsDropped, run, session };
  }
}

/** Upstreams with names are different sellers. */
function nameOf({ organization, wire, works, path }: CallRecord, index: number): WorkName {
  const upstream = upstreamNameOf(path);
  return { organization, wire: upstream === null ? wire : `${wire} ${upstream}`, work: storable(works[index]!) };
}

function begun(name: WorkName, { startedAtMs }: CallRecord): Work {
  return { ...name, partOf: null, beganBy: null, beganMs: startedAtMs, path: null, settledBy: null, settledNumber: null };
}

function isInteraction({ path }: CallRecord): boolean {
  return /\/interactions\/[^/]+(?:\/cancel)?$/.test(path);
}

/** A file that is read by itself does not say whether a batch wrote it: whoever uploads it chooses what stands in it. */
function isFile({ path }: CallRecord): boolean {
  return /\/files\/[^/]+\/content$/.test(path);
}
