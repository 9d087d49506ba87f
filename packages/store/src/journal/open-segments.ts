/**
 * The segments that this process writes to: one that takes new calls, and those that only wait for their last calls to be closed.
 * Rule: a call is closed in the segment it was opened in; a segment is sealed with its last call and not before.
 */
import type { OrganizationId, RequestId } from '@metergate/core/id.ts';
import { CallHomes } from './call-homes.ts';
import { systemCode } from './journal-fault.ts';
import type { OpenCall } from './journal.ts';
import type { SegmentSupply } from './segment-supply.ts';
import type { SegmentWriter } from './segment-writer.ts';

/** After these a segment takes no new calls: the file, not the space, is at fault. */
const fileCodes: ReadonlySet<string> = new Set(['EIO', 'EBADF', 'EROFS', 'ESTALE', 'ENXIO', 'ENODEV', 'EUCLEAN']);

/** A segment takes no new calls once it has so much of either. */
interface SegmentSize {
  readonly rows: number;
  /** So that rows with long labels do not make it the whole disk: what is shipped is removed segment by segment. */
  readonly bytes: number;
}

export class OpenSegments {
  readonly #supply: SegmentSupply;
  readonly #size: SegmentSize;
  #current: SegmentWriter | null;
  #retired: SegmentWriter[] = [];
  /** Where each open call's `opened` row is. */
  readonly #home = new CallHomes<SegmentWriter>();

  /** Makes the first segment at once. @throws what `supply.next` throws. */
  constructor(supply: SegmentSupply, size: SegmentSize) {
    this.#supply = supply;
    this.#size = size;
    this.#current = supply.next();
  }

  /** The segment for a call that is being opened. @throws if a new one is due and cannot be made. */
  settle(id: RequestId, organization: OrganizationId): SegmentWriter {
    this.#current ??= this.#supply.next();
    this.#home.set(id, organization, this.#current);
    return this.#current;
  }

  /** The segment for a row that belongs to no call. @throws if a new one is due and cannot be made. */
  current(): SegmentWriter {
    return this.#current ??= this.#supply.next();
  }

  /** The segment of a call that is being closed; null if none is open under this id. It is answered once. */
  leave(id: RequestId): SegmentWriter | null {
    return this.#home.take(id);
  }

  /** Calls that are opened and not closed. */
  openCalls(): Iterable<OpenCall> {
    return this.#home.calls();
  }

  /** True while there are segments to seal. */
  get unfinished(): boolean {
    return this.#retired.some(({ openCalls }) => openCalls === 0);
  }

  /** A commit failed: where the file is at fault, new calls go elsewhere. One that never took a row is tried again. */
  failed(segment: SegmentWriter, error: unknown): void {
    if (segment === this.#current && segment.rows > 0 && fileCodes.has(systemCode(error))) this.#retire();
  }

  /** After commits: retires the segment when it is full, seals those that are complete. Returns how many seals failed. */
  turn(): number {
    if (this.#current !== null && this.#hasShare(this.#current, 0.5)) {
      this.#supply.prepare();
      if (this.#hasShare(this.#current, 1)) this.#retire();
    }
    return this.#retired.length === 0 ? 0 : this.#sealRetired();
  }

  /** Seals what is complete and closes everything. Segments with open calls are left for recovery. */
  end(): void {
    this.#retire();
    this.#sealRetired();
    for (const segment of this.#retired) segment.close();
    this.#retired = [];
    this.#supply.end();
  }

  #hasShare({ rows, bytes }: SegmentWriter, share: number): boolean {
    return rows >= this.#size.rows * share || bytes >= this.#size.bytes * share;
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
      return false;
    });
    return failures;
  }
}
