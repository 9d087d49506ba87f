/**
 * The journal's faults, each with a sentence that names the file and says what to do. The journal never refuses: it keeps its promise or
 * throws.
 */

type JournalFaultCode =
  /** The directory cannot be made or written, or a segment cannot be created, opened or changed in it: rights, space or descriptors. */
  | 'journal_unwritable'
  /** A segment file is damaged, is not a segment, or half of it is gone. Never skipped: it may hold calls. */
  | 'journal_unreadable'
  /** Another process has the segment open. */
  | 'journal_elsewhere'
  /** Written by a newer version. */
  | 'journal_newer'
  /** SQLite cannot be trusted with a segment that an older version left: it is older than the release that mended its write-ahead log. */
  | 'journal_unsound'
  /** The journal has ended, or ended with rows that could not be written. */
  | 'journal_ended';

/** The journal broke. Thrown, or handed to a callback. */
export class JournalFault extends Error {
  readonly code: JournalFaultCode;

  constructor(code: JournalFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JournalFault';
    this.code = code;
  }
}

/** Says whether what was thrown is that another process has the segment. */
export function isElsewhere(error: unknown): error is JournalFault {
  return error instanceof JournalFault && error.code === 'journal_elsewhere';
}

/** The system's code of an error, as in `ENOSPC`; '' where it has none. */
export function systemCode(error: unknown): string {
  const { code } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : '';
}

/** Primary result code of an SQLite error (https://www.sqlite.org/rescode.html), or 0 if it is none. */
export function sqliteResult(error: unknown): number {
  if (!(error instanceof Error)) return 0;
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : 0;
}
