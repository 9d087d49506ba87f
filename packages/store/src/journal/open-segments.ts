/**
 * The segments that this process writes to: one that takes new calls, those that only wait for their last calls to be
 * closed, and sealed ones whose files the shipper has not removed yet.
 * Rule: a call is closed in the segment it was opened in; a segment is sealed with its last call and not before.
 */
import { existsSync } from 'node:fs';
import type { RequestId } from '@metergate/core/id.ts';
import { sqliteResult } from './journal-fault.ts';
import type { SegmentSupply } from './segment-supply.ts';
import type { SegmentWriter } from './segment-writer.ts';

/** Sealed segments kept open until their files are removed: closing earlier would move the whole log on this thread. */
const sealedOpenMax = 32;
/** After these results of SQLite a segment takes no new calls: the file, not the space, is at fault. */
const fileResults = new Set([8, 10, 11, 14, 26]);

export class OpenSegments {
  readonly #supply: SegmentSupply;
  readonly #rowsPerSegment: number;
  #current: SegmentWriter | null;
  #retired: SegmentWriter[] = [];
  #sealed: SegmentWriter[] = [];
  /** Where each open call's `opened` row is. */
  readonly #home = new Map<RequestId, SegmentWriter>();

  /** Makes the first segment at once. @throws what `supply.next` throws. */
  constructor(supply: SegmentSupply, rowsPerSegment: number) {
    this.#supply = supply;
    this.#rowsPerSegment = rowsPerSegment;
    this.#current = supply.next();
  }

  /** The segment for a call that is being opened. @throws where a new one is due and cannot be made. */
  settle(id: RequestId): SegmentWriter {
    this.#current ??= this.#supply.next();
    this.#home.set(id, this.#current);
    return this.#current;
  }

  /** The segment for a row that belongs to no call. @throws where a new one is due and cannot be made. */
  current(): SegmentWriter {
    return this.#current ??= this.#supply.next();
  }

  /** The segment of a call that is being closed; null where none is open under this id. It is answered once. */
  leave(id: RequestId): SegmentWriter | null {
    const segment = this.#home.get(id) ?? null;
    this.#home.delete(id);
    return segment;
  }

  /** True while there are segments to seal or release. */
  get unfinished(): boolean {
    return this.#sealed.length > 0 || this.#retired.some(({ openCalls }) => openCalls === 0);
  }

  /** A commit failed: where the file is at fault, new calls go elsewhere. One that never took a row is tried again. */
  failed(segment: SegmentWriter, error: unknown): void {
    if (segment === this.#current && segment.rows > 0 && fileResults.has(sqliteResult(error))) this.#retire();
  }

  /** After commits: retires the segment when it is full, seals those that are complete. Returns how many seals failed. */
  turn(): number {
    if (this.#current !== null && this.#current.rows >= this.#rowsPerSegment / 2) {
      this.#supply.prepare();
      if (this.#current.rows >= this.#rowsPerSegment) this.#retire();
    }
    return this.#retired.length === 0 ? 0 : this.#sealRetired();
  }

  /** Lets go of segments that the shipper has removed, and of the oldest beyond the bound. */
  closeRemoved(): void {
    this.#sealed = this.#sealed.filter((segment, index) => {
      if (existsSync(segment.path) && this.#sealed.length - index <= sealedOpenMax) return true;
      segment.close();
      return false;
    });
  }

  /** Seals what is complete and closes everything. What has open calls is left for recovery. */
  end(): void {
    this.#retire();
    this.#sealRetired();
    for (const segment of [...this.#retired, ...this.#sealed]) segment.close();
    this.#retired = [];
    this.#sealed = [];
    this.#supply.end();
  }

  #retire(): void {
    if (this.#current !== null) this.#retired.push(this.#current);
    this.#current = null;
  }

  #sealRetired(): number {
    let failures = 0;
    this.#retired = this.#retired.filter((segment) => {
      if (segment.openCalls > 0) return true;
      try {
        segment.seal();
      } catch {
        failures += 1;
        return true;
      }
      this.#sealed.push(segment);
      return false;
    });
    return failures;
  }
}
