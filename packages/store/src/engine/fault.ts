/**
 * Engine errors → the faults of the store: a stable code and one sentence that an operator can act on.
 * A sentence names the place (a path, or host, port and database), never a password, a bound value or a row.
 * Any other error (a defect of ours) passes unchanged.
 */

export type StoreFaultCode =
  /** `create` was not asked for and there is no store. */
  | 'store_absent'
  /** The master key given is not the one this store was made with. */
  | 'wrong_master_key'
  /** The server cannot be reached, or does not let us in. */
  | 'store_unreachable'
  /** The file is no store, or the file system does not let us read and write it. */
  | 'store_unreadable'
  /** Written by a newer version. */
  | 'schema_newer'
  /** Written by an older version, and `create` was not asked for. */
  | 'schema_older'
  /** It cannot be upgraded while an operator's own views read what the upgrade takes. */
  | 'upgrade_held_up'
  /** The store was upgraded, and takes nothing from writers of this version. */
  | 'writer_outdated'
  /** Another process held the store for longer than the busy timeout, or a statement ran out of time. */
  | 'store_busy'
  /** No space left. */
  | 'store_full'
  /** `SVC_DATABASE_URL` is neither `sqlite:PATH` nor `postgres://…`. */
  | 'bad_store_url'
  /** The engine does not take a value or a row; the same write would be refused again. */
  | 'row_refused'
  /** A batch continues from a place that the store no longer has: it was restored to an earlier moment. */
  | 'store_went_back'
  /** Another process runs on this data directory, or on a copy of it. */
  | 'data_directory_elsewhere'
  /** Records differ from their receipts: somebody changed the store without the product. */
  | 'receipts_differ'
  /** Records that were to be read were removed for their age meanwhile. */
  | 'records_gone'
  /** The engine does not take a statement of ours, whatever state it is in: a defect. */
  | 'statement_refused'
  /** Anything else the engine reports. */
  | 'store_failed';

/** The store is away or cannot work now. What was asked may be answered once it can. */
const passing: ReadonlySet<StoreFaultCode> = new Set<StoreFaultCode>([
  'store_absent', 'store_unreachable', 'store_unreadable', 'schema_newer', 'schema_older', 'upgrade_held_up', 'store_busy', 'store_full',
  'store_failed',
]);

/** The store broke, or is not there. Thrown. */
export class StoreFault extends Error {
  readonly code: StoreFaultCode;

  /** `cause`: where it came from, fit for a log. */
  constructor(code: StoreFaultCode, message: string, cause?: Error) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreFault';
    this.code = code;
  }
}

/** Whether it is the store that does not work, and not what it was asked: whoever asks again later may be answered. */
export function isStoreAway(fault: unknown): fault is StoreFault {
  return fault instanceof StoreFault && passing.has(fault.code);
}

/** The fault for an error that came out of an engine working at `place`; the error itself if it is not an engine error. */
export function faultOf(error: unknown, place: string): unknown {
  const fault = judged(error, place);
  if (fault !== error && fault instanceof StoreFault && error instanceof Error) fault.cause = traceOf(error);
  return fault;
}

/** Where an engine's error came from: its code and stack. Its message and details may quote a row or a value and stay behind. */
function traceOf(error: Error): Error {
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  const trace = new Error(`engine error ${String(errcode ?? code ?? error.name)}`);
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  trace.stack = [`Error: ${trace.message}`, ...frames].join('\n');
  return trace;
}

function judged(error: unknown, place: string): unknown {
  if (error instanceof StoreFault || !(error instanceof Error)) return error;
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR') return sqliteFault(typeof errcode === 'number' ? errcode : 0, place);
  if (typeof code === 'string' && systemCodes.has(code)) return unreachable(code, place);
  if (typeof code === 'string' && certificateCodes.test(code)) return untrusted(code, place);
  if (code === '08P01') return pooledFault(error.message, place);
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return postgresFault(code, place);
  if (/does not support SSL/.test(error.message)) return unreachable('it does not support TLS, and sslmode requires it', place);
  if (/timeout|connection terminated|connection ended|not queryable/i.test(error.message)) return unreachable('no answer in time', place);
  return error;
}

const systemCodes = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN',
  'EPIPE', 'EPROTO', 'ENOENT', 'EACCES', 'EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL',
]);

/** What Node says of a certificate that it does not believe. */
const certificateCodes = /^(?:CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_(?:VERIFY|GET)_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

function untrusted(code: string, place: string): StoreFault {
  return new StoreFault('store_unreachable', `The certificate of PostgreSQL at ${place} is not trusted (${code}). Name the authority that signed it `
    + 'in SVC_DATABASE_URL with sslrootcert=FILE, and the host by the name in its certificate.');
}

function unreachable(reason: string, place: string): StoreFault {
  return new StoreFault('store_unreachable',
    `The store at ${place} cannot be reached (${reason}). Check that PostgreSQL runs there and that SVC_DATABASE_URL is right.`);
}

/** `SQLITE_IOERR_SHMSIZE`: no room for the file that processes share beside a store. It is what a start on a full disk meets first. */
const noRoomToShare = 4874;

/** Primary result codes of SQLite: https://www.sqlite.org/rescode.html */
function sqliteFault(errcode: number, place: string): StoreFault {
  switch (errcode === noRoomToShare ? 13 : errcode & 0xff) {
    case 5: case 6:
      return new StoreFault('store_busy', `The store at ${place} has been locked by another process for too long. Try again.`);
    case 13:
      return new StoreFault('store_full', `There is no space left for the store at ${place}. Make room on its disk.`);
    case 3: case 8: case 14: case 23:
      return new StoreFault('store_unreadable',
        `The store at ${place} cannot be opened for reading and writing. Check the rights of the file and of its directory.`);
    case 26:
      return new StoreFault('store_unreadable', `The file ${place} is not a metergate store. Name another file, or move this one away.`);
    case 11:
      return new StoreFault('store_unreadable', `The store at ${place} is damaged. Restore it from a backup.`);
    case 18: case 19: case 20: case 25:
      return new StoreFault('row_refused', `The store at ${place} does not take what it was given (SQLite result ${errcode}).`);
    case 1: case 17: case 21:
      return new StoreFault('statement_refused', `The store at ${place} does not take a statement of this version (SQLite result ${errcode}).`);
    case 10:
      return new StoreFault('store_failed',
        `The store at ${place} cannot be read or written (SQLite result ${errcode}). Check that its disk has room and is sound.`);
    default:
      return new StoreFault('store_failed', `The store at ${place} failed (SQLite result ${errcode}).`);
  }
}

/** No such table. While a cell is restored, its schema has another name. */
const goneCodes: ReadonlySet<string> = new Set(['42P01']);

/** A pooler says with one code that it takes no parameter of ours, and that it has no server: while that fails over, it is the second. */
function pooledFault(message: string, place: string): StoreFault {
  return new StoreFault('store_unreachable', /startup parameter/i.test(message)
    ? `PostgreSQL at ${place} refuses the parameters that a connection begins with (08P01). If it is pgbouncer, set `
      + 'ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout in its file.'
    : `What answers at ${place} has no PostgreSQL behind it now, or did not understand the request (08P01). If it is a pooler, check the server `
      + 'that it leads to.');
}

/** SQLSTATE classes: 08 and 57P are about the connection, 28 and 3D about being let in, 53 about resources. */
function postgresFault(code: string, place: string): StoreFault {
  if (code.startsWith('28')) {
    return new StoreFault('store_unreachable',
      `PostgreSQL at ${place} refused the user or password (${code}). Correct SVC_DATABASE_URL.`);
  }
  if (code === '3D000') {
    return new StoreFault('store_unreachable',
      `PostgreSQL at ${place} has no such database (${code}). Create it, or correct SVC_DATABASE_URL.`);
  }
  if (code === '42501') {
    return new StoreFault('store_unreadable',
      `PostgreSQL at ${place} does not let this user do that (${code}). Grant it rights on the schema.`);
  }
  if (code.startsWith('08') || code.startsWith('57P') || code === '53300') return unreachable(code, place);
  if (code === '25006') {
    return new StoreFault('store_unreachable', `PostgreSQL at ${place} takes no writes (${code}): it is a standby, or was made read-only. Make it `
      + 'the primary, or let SVC_DATABASE_URL lead to the one that is.');
  }
  if (code === 'TOOLD') {
    return new StoreFault('writer_outdated', `The store at ${place} was upgraded and takes no records from this version. Update this node: it serves `
      + 'calls, and their records wait in its journal until the new version ships them.');
  }
  if (code === '53100') return new StoreFault('store_full', `PostgreSQL at ${place} has no space left. Make room on its disk.`);
  if (code === '57014' || code === '55P03' || code.startsWith('40')) {
    return new StoreFault('store_busy', `The store at ${place} did not finish in time (${code}). Try again.`);
  }
  if (/^(?:22|23|54)/.test(code)) {
    return new StoreFault('row_refused', `PostgreSQL at ${place} does not take what it was given (SQLSTATE ${code}).`);
  }
  if (code.startsWith('0A') || (code.startsWith('42') && !goneCodes.has(code))) {
    return new StoreFault('statement_refused', `PostgreSQL at ${place} does not take a statement of this version (SQLSTATE ${code}).`);
  }
  return new StoreFault('store_failed', `PostgreSQL at ${place} failed (SQLSTATE ${code}).`);
}
