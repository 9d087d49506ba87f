/**
 * A store that refuses one record for ever must not keep back all that follow it. Around the store's own `ship`: a batch that is refused for
 * its contents is halved until the bad row is alone. That row is written to a new file beside the journal, reported and counted, and
 * the rest is shipped. The next start, perhaps of a newer version, offers it again.
 * Rule: the row is on disk before the segment's mark passes it, and it has a separate mark, so that it is stored once even after a crash.
 * If row after row is refused, the store is at fault and nothing is set aside. A store restored to an earlier moment gets the row again from
 * its segment, and the file is removed; if the segment no longer exists, the file is the only copy.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { CallBatch } from './call-sink.ts';
import { StoreFault } from '../engine/fault.ts';
import { JournalFault } from './journal-fault.ts';
import { recordFromText, recordToText } from './row.ts';
import type { CallSink } from './call-sink.ts';

/** After this many rows set aside in a row, the store is considered to be at fault. */
const inARowMax = 16;
/** So that a node's report of them stays small. */
const organizationsMax = 500;
const refusedFile = /^(seg_[0-9A-Za-z]+)-(\d+)\.json$/;

interface RefusedRowsOptions {
  /** The journal's directory; the files lie in `refused` within. */
  readonly directory: string;
  /** Within the folder of refused rows, where several cells have some; the folder itself by default. */
  readonly folder?: string;
  readonly calls: CallSink;
  /** Called once for each row set aside: one sentence, without content. */
  readonly warn: (sentence: string) => void;
  /** Called whenever `setAside` or `setAsideOf` may have changed. */
  readonly changed?: () => void;
}

export interface RefusedRows extends CallSink {
  /** Offers what was set aside again. Call this at the start, before any segment is shipped. Returns how many still wait. */
  offerAgain(): Promise<number>;
  /** Rows set aside since the start. */
  readonly setAside: number;
  /** Whose records lie there; null: not known, since a row cannot be read or there are too many. */
  readonly setAsideOf: readonly OrganizationId[] | null;
}

export function settingRefusedRowsAside({ directory, folder: within = '', calls, warn, changed = () => {} }: RefusedRowsOptions): RefusedRows {
  const folder = join(directory, 'refused', within);
  let setAside = 0;
  let inARow = 0;
  /** Files, and whose they are, whose segment may still be here. Where the row is shipped after all, the mark had not moved, or was put back. */
  const aside: Aside = new Map();

  async function ship(batch: CallBatch): Promise<void> {
    if (aside.size > 0 && takenBack(folder, aside, batch)) changed();
    try {
      await calls.ship(batch);
      if (batch.records.length > 0) inARow = 0;
    } catch (error) {
      if (!isRefusal(error) || batch.records.length === 0 || inARow >= inARowMax) throw error;
      if (batch.records.length === 1) return keepAside(batch, error);
      for (const part of halves(batch)) await ship(part);
    }
  }

  /** The batch of one record without it: run events that came with it, and the mark. */
  async function keepAside(batch: CallBatch, error: Error): Promise<void> {
    const { seq, record } = batch.records[0]!;
    const name = `${batch.segment}-${seq}.json`;
    writeWhole(folder, name, recordToText(record));
    aside.set(name, record.organization);
    await calls.ship({ ...batch, records: [] });
    setAside += 1;
    inARow += 1;
    changed();
    warn(`The store refuses the record of call ${record.id} (${error instanceof StoreFault ? error.message : error.name}). `
      + `It is kept in ${folder} and offered again at the next start; all others are stored.`);
  }

  return {
    mark: (segment, whose) => calls.mark(segment, whose),
    recorded: (openings) => calls.recorded(openings),
    ship,
    async offerAgain() {
      const waiting = filesIn(folder);
      let left = 0;
      for (const { name, segment, seq } of waiting) {
        const path = join(folder, name);
        let whose: OrganizationId | null = null;
        try {
          const record = recordFromText(readFileSync(path, 'utf8'));
          whose = record.organization;
          // Above the mark a segment that is here still has it: the file is what a death left before the mark moved.
          if (await calls.mark(segment, record.organization) >= seq || !isHere(directory, segment)) {
            await calls.ship({ segment: `${segment}-${seq}`, through: 1, records: [{ seq: 1, record }] });
          }
        } catch (error) {
          if (error instanceof StoreFault && !isRefusal(error)) throw error;
          aside.set(name, whose);
          left += 1;
          continue;
        }
        rmSync(path, { force: true });
      }
      changed();
      if (left > 0) warn(`${left} records that the store refuses are kept in ${folder}.`);
      return left;
    },
    get setAside() {
      return setAside;
    },
    get setAsideOf() {
      return ownersOf(aside);
    },
  };
}

/** Name of each file → whose it is; null: it cannot be read. */
type Aside = Map<string, OrganizationId | null>;

/** Removes the files of what comes once more. Whether there were any. */
function takenBack(folder: string, aside: Aside, { segment, records }: CallBatch): boolean {
  let any = false;
  for (const { seq } of records) {
    const name = `${segment}-${seq}.json`;
    if (!aside.delete(name)) continue;
    rmSync(join(folder, name), { force: true });
    any = true;
  }
  return any;
}

function ownersOf(aside: Aside): readonly OrganizationId[] | null {
  const owners = new Set<OrganizationId>();
  for (const whose of aside.values()) {
    if (whose === null) return null;
    owners.add(whose);
  }
  return owners.size > organizationsMax ? null : [...owners];
}

/** Says whether a segment lies here, in the form of this version or an older one. */
function isHere(directory: string, segment: string): boolean {
  return existsSync(join(directory, `${segment}.log`)) || existsSync(join(directory, `${segment}.db`));
}

/** Whether the row is at fault and not the store: a value that the engine cannot take, or that we cannot pass to it. */
function isRefusal(error: unknown): error is Error {
  return error instanceof StoreFault ? error.code === 'row_refused' : error instanceof TypeError || error instanceof RangeError;
}

/** The batch as two halves, in order. Run events stay on their side of the middle. */
function halves(batch: CallBatch): [CallBatch, CallBatch] {
  const middle = batch.records.length >> 1;
  const through = batch.records[middle - 1]!.seq;
  const events = batch.runEvents ?? [];
  return [
    { ...batch, through, records: batch.records.slice(0, middle), runEvents: events.filter(({ seq }) => seq <= through) },
    {
      // Of an organization that is ahead, the segment's mark stays where it is.
      ...batch, ...(batch.ahead === undefined ? { after: through } : {}), records: batch.records.slice(middle),
      runEvents: events.filter(({ seq }) => seq > through),
    },
  ];
}

function filesIn(folder: string): { name: string; segment: string; seq: number }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new JournalFault('journal_unreadable',
      `The journal's directory ${folder} cannot be read (${code}). Check that it is one, and its rights.`, { cause: error });
  }
  return names.flatMap((name) => {
    const match = refusedFile.exec(name);
    return match === null ? [] : [{ name, segment: match[1]!, seq: Number(match[2]) }];
  });
}

/** Writes a file atomically, synced and readable only by its owner. */
function writeWhole(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const making = join(folder, `${name}.new`);
  synced(openSync(making, 'w', 0o600), text);
  renameSync(making, join(folder, name));
  if (process.platform !== 'win32') synced(openSync(folder, 'r'), '');
}

function synced(descriptor: number, text: string): void {
  try {
    // Not `writeSync`: on a disk that is nearly full it writes a part, and says nothing.
    if (text !== '') writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
