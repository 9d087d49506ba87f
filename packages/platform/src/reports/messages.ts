/**
 * The messages between the platform thread and the report thread. Values only, so that they can be copied. A file is requested piece by
 * piece: its producer stays on the report thread until it is read whole or abandoned.
 */
import type { ExportPiece } from '../use-cases/exports.ts';
import type { Actor } from '../use-cases/actor.ts';
import { StoreFault, type StoreFaultCode } from '@metergate/store/engine/fault.ts';

/** One request of a reading operation, checked. */
export interface ReportRequest {
  readonly actor: Actor;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The body; empty if the operation takes none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The moment of the request, milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Platform → reports. `number` comes back with the answer. */
export type ToReports =
  | { readonly kind: 'run'; readonly number: number; readonly operation: string; readonly request: ReportRequest }
  /** Asks for the next piece of the file that `run` number `file` was answered with. */
  | { readonly kind: 'piece'; readonly number: number; readonly file: number }
  /** Who asked `run` of this number has left. No answer is waited for. */
  | { readonly kind: 'give_up'; readonly of: number }
  /** Nobody reads that file any more. */
  | { readonly kind: 'let_go'; readonly file: number }
  | { readonly kind: 'stop' };

/** A file without its pieces. */
export interface FileHead {
  readonly contentType: string;
  readonly fileName: string;
}

export type Piece = ExportPiece;

/** Reports → platform. */
export type FromReports =
  /** The thread has its store. Before, what is asked waits. */
  | { readonly kind: 'ready' }
  /** A refusal. */
  | { readonly kind: 'result'; readonly number: number; readonly result: unknown }
  | { readonly kind: 'json'; readonly number: number; readonly json: string }
  | { readonly kind: 'file'; readonly number: number; readonly head: FileHead }
  /** Null: the file is complete. */
  | { readonly kind: 'piece'; readonly number: number; readonly piece: Piece | null }
  | { readonly kind: 'fault'; readonly number: number; readonly fault: FaultMessage };

/** A result as the text of its answer: written where it was made, it takes nothing of the thread that sends it. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** A fault as it travels. `store`: the store's own, with its code. */
interface FaultMessage {
  readonly store: StoreFaultCode | null;
  readonly message: string;
  readonly stack: string | null;
}

export function faultMessage(fault: unknown): FaultMessage {
  const { message = String(fault), stack = null } = fault instanceof Error ? fault : {};
  return { store: fault instanceof StoreFault ? fault.code : null, message, stack };
}

export function faultOfMessage({ store, message, stack }: FaultMessage): Error {
  if (store !== null) return new StoreFault(store, message);
  const fault = new Error(message);
  if (stack !== null) fault.stack = stack;
  return fault;
}
