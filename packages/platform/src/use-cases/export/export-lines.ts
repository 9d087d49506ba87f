/** What turns records, one after the other, into the text of a file. Keeps no more than it needs to go on. */
import type { CallRecord } from '@metergate/core/record/call-record.ts';

export interface ExportLines {
  /** What stands before all records. */
  readonly head: string;
  /** Text that this record lets out; it may be empty, and it may be of earlier ones. */
  add(record: CallRecord): string;
  /** What is left after the last. */
  end(): string;
}
