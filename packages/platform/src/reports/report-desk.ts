/**
 * Answers requests of reading operations, on the report thread's own store connection. Several may run at once: long ones work in slices and
 * let the others in between. A fault is an answer; nothing here ends the thread.
 */
import type { CallExport } from '../use-cases/exports.ts';
import { isDownload } from '../http/download.ts';
import type { Operation } from '../http/operation.ts';
import type { UseCaseContext } from '../use-cases/context.ts';
import { faultMessage, type FromReports, type Piece, type ReportRequest, type ToReports } from './messages.ts';

export interface ReportDeskOptions {
  /** The operations that only read. */
  readonly operations: readonly Operation[];
  readonly context: Omit<UseCaseContext, 'nowMs'>;
  readonly post: (message: FromReports) => void;
}

export interface ReportDesk {
  /** Files that are not yet read to their end. */
  readonly openFiles: number;
  /** Answers by `post`. Never throws. */
  answer(message: Exclude<ToReports, { readonly kind: 'stop' }>): void;
}

export function createReportDesk({ operations, context, post }: ReportDeskOptions): ReportDesk {
  const byId = new Map(operations.map((each) => [each.id, each]));
  const files = new Map<number, AsyncIterator<Piece>>();

  async function run(number: number, operation: string, { actor, params, query, body, nowMs }: ReportRequest): Promise<void> {
    const known = byId.get(operation);
    if (known === undefined) throw new Error(`there is no reading operation ${operation}`);
    const call = { context: { ...context, nowMs }, actor, params, query, body };
    const result = await known.run(call as unknown as Parameters<Operation['run']>[0]);
    if (isDownload(result)) open(number, result.download);
    else post({ kind: 'result', number, result });
  }

  function open(number: number, { contentType, fileName, pieces }: CallExport): void {
    files.set(number, pieces[Symbol.asyncIterator]());
    post({ kind: 'file', number, head: { contentType, fileName } });
  }

  async function next(number: number, file: number): Promise<void> {
    const made = await files.get(file)?.next();
    const piece = made === undefined || made.done === true ? null : made.value;
    if (piece === null) files.delete(file);
    post({ kind: 'piece', number, piece });
  }

  async function release(file: number): Promise<void> {
    const pieces = files.get(file);
    files.delete(file);
    await pieces?.return?.();
  }

  return {
    get openFiles() {
      return files.size;
    },
    answer(message) {
      if (message.kind === 'let_go') return void release(message.file).catch(() => {});
      const answered = message.kind === 'run' ? run(message.number, message.operation, message.request) : next(message.number, message.file);
      answered.catch((fault: unknown) => {
        if (message.kind === 'piece') files.delete(message.file);
        post({ kind: 'fault', number: message.number, fault: faultMessage(fault) });
      });
    },
  };
}
