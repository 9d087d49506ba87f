/**
 * Answers requests of reading operations, on the report thread's own store connection. Several may run at once: long ones work in slices and
 * let the others in between, organization by organization. A fault is an answer; nothing here ends the thread.
 */
import { othersFirst, workFor } from '@metergate/store/threads/others-first.ts';
import type { CallExport } from '../use-cases/exports.ts';
import { isDownload } from '../http/download.ts';
import type { Operation } from '../http/operation.ts';
import type { UseCaseContext } from '../use-cases/context.ts';
import { isRefusal } from '../use-cases/refusal.ts';
import { faultMessage, type FromReports, type Piece, type ReportRequest, type ToReports } from './messages.ts';

interface ReportDeskOptions {
  /** The operations that only read. */
  readonly operations: readonly Operation[];
  readonly context: Omit<UseCaseContext, 'nowMs'>;
  readonly post: (message: FromReports) => void;
}

interface ReportDesk {
  /** Files that are not yet read to their end. */
  readonly openFiles: number;
  /** Answers by `post`. Never throws. */
  answer(message: Exclude<ToReports, { readonly kind: 'stop' }>): void;
}

interface OpenFile {
  /** Whose it is. */
  readonly organization: string;
  readonly pieces: AsyncIterator<Piece>;
  /** Somebody still reads it. */
  isRead: boolean;
}

export function createReportDesk({ operations, context, post }: ReportDeskOptions): ReportDesk {
  const byId = new Map(operations.map((each) => [each.id, each]));
  const files = new Map<number, OpenFile>();
  /** Of those that are not answered yet, whether somebody waits for it. */
  const asked = new Map<number, { isWanted: boolean }>();

  async function wanted(number: number, operation: string, request: ReportRequest): Promise<void> {
    const question = { isWanted: true };
    asked.set(number, question);
    try {
      await workFor(request.actor.organization, () => run(number, operation, request), () => question.isWanted);
    } finally {
      asked.delete(number);
    }
  }

  function giveUp(number: number): void {
    const question = asked.get(number);
    if (question !== undefined) question.isWanted = false;
  }

  async function run(number: number, operation: string, { actor, params, query, body, nowMs }: ReportRequest): Promise<void> {
    const known = byId.get(operation);
    if (known === undefined) throw new Error(`there is no reading operation ${operation}`);
    const call = { context: { ...context, nowMs }, actor, params, query, body };
    // The first slice too: requests that arrive together would otherwise all have theirs before anybody's second.
    await othersFirst();
    const result = await known.run(call as unknown as Parameters<Operation['run']>[0]);
    if (isDownload(result)) open(number, actor.organization, result.download);
    else if (isRefusal(result)) post({ kind: 'result', number, result });
    else post({ kind: 'json', number, json: JSON.stringify(result) });
  }

  function open(number: number, organization: string, { contentType, fileName, pieces }: CallExport): void {
    files.set(number, { organization, pieces: pieces[Symbol.asyncIterator](), isRead: true });
    post({ kind: 'file', number, head: { contentType, fileName } });
  }

  async function next(number: number, file: number): Promise<void> {
    const open = files.get(file);
    const made = open === undefined ? undefined : await workFor(open.organization, () => open.pieces.next(), () => open.isRead);
    const piece = made === undefined || made.done === true ? null : made.value;
    if (piece === null) files.delete(file);
    post({ kind: 'piece', number, piece });
  }

  async function release(file: number): Promise<void> {
    const open = files.get(file);
    files.delete(file);
    if (open === undefined) return;
    // The piece that is being made ends before its next slice; only then does a generator hear of this.
    open.isRead = false;
    await open.pieces.return?.();
  }

  return {
    get openFiles() {
      return files.size;
    },
    answer(message) {
      if (message.kind === 'let_go') return void release(message.file).catch(() => {});
      if (message.kind === 'give_up') return giveUp(message.of);
      const answered = message.kind === 'piece' ? next(message.number, message.file) : wanted(message.number, message.operation, message.request);
      answered.catch((fault: unknown) => {
        if (message.kind === 'piece') files.delete(message.file);
        post({ kind: 'fault', number: message.number, fault: faultMessage(fault) });
      });
    },
  };
}
