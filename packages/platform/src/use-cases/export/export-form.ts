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

/** Bytes that a call let out, and whether that call is in them or only those before it. */
export interface LetOut {
  readonly content: string | Uint8Array;
  readonly holds: 'this' | 'before';
}

export interface ExportForm {
  /** What stands before all calls; not written by one that goes on. */
  readonly head: string | Uint8Array;
  /** Null: the call is kept for later. */
  add(call: ExportedCall): LetOut | null;
  /** What another form of this kind needs to go on after all that was let out: JSON. */
  state(): unknown;
  /** What is left after the last. */
  end(): string | Uint8Array;
}
