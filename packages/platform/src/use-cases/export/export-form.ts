/**
 * The interface of a file format: turns calls, one after the other, into bytes. It keeps no more state than it needs, and at some points it
 * can save that state so that another process can resume.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';

export interface ExportedCall {
  readonly record: CallRecord;
  /** The name of its key; null: it has none, or is gone. */
  readonly keyName: string | null;
}

/** Bytes that a call released, and whether that call is in them or only earlier ones. */
interface Released {
  readonly content: string | Uint8Array;
  readonly holds: 'this' | 'before';
}

export interface ExportForm {
  /** What comes before all calls; not written when an export is resumed. */
  readonly head: string | Uint8Array;
  /** Awaited before the call is added, where a form needs more than what it says. Null: the form has all that it needs. */
  ahead?(call: CallRecord): Promise<void> | null;
  /** Null: the call is kept for later. */
  add(call: ExportedCall): Released | null;
  /** What another writer of this form needs to continue after the released bytes: JSON. */
  state(): unknown;
  /** What remains after the last call. */
  end(): string | Uint8Array;
}
