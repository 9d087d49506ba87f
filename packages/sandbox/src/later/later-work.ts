/**
 * Work that goes on after its answer, as both providers do it: responses in the background, files, batches of either wire. It is under way when it is
 * asked for the first time, and has ended at the second, so that polls can be tried and no clock counts. Decision 0166.
 */
import { batchWork, type AnswerNow, type BatchWork } from './later-batches.ts';
import { KeptPieces } from './kept-pieces.ts';
import { createdAtSeconds } from '../sandbox-answer.ts';
import { bodyObject, objectsOf, type Fields } from '../sandbox-request.ts';
import { uploadedFile, type UploadedFile } from './uploaded-file.ts';

/** A document, the text of a file, or an error's sentence. */
export type LaterAnswer =
  | { readonly kind: 'document'; readonly document: Fields }
  | { readonly kind: 'text'; readonly text: Buffer }
  | { readonly kind: 'error'; readonly status: number; readonly message: string };

interface LaterRequest {
  readonly method: string;
  readonly path: string;
  /** The body, read when it is needed; null: larger than the sandbox takes. */
  readonly body: () => Promise<Buffer | null>;
  readonly contentType: string;
  readonly serial: number;
}

/** How often work was asked for. */
interface Polled<Work> {
  readonly work: Work;
  looks: number;
  cancelled: boolean;
}

const gone: LaterAnswer = { kind: 'error', status: 404, message: "Metergate's sandbox has nothing with this id. It keeps what is new." };
const tooLarge: LaterAnswer = { kind: 'error', status: 413, message: "The request is larger than Metergate's sandbox takes." };

export class LaterWork {
  readonly #answerNow: AnswerNow;
  readonly #responses = new KeptPieces<Polled<Fields>>();
  readonly #batches = new KeptPieces<Polled<BatchWork>>();
  readonly #files = new KeptPieces<UploadedFile>();

  constructor(answerNow: AnswerNow) {
    this.#answerNow = answerNow;
  }

  /** The answer to a response in the background, of which `whole` is what comes of it. */
  begin(whole: Fields): Fields {
    const id = whole['id'] as string;
    this.#responses.keep(id, { work: { ...whole, background: true }, looks: 0, cancelled: false }, JSON.stringify(whole).length);
    return unfinished(whole, 'queued');
  }

  /** Null: the path is none of these. */
  async answer(request: LaterRequest): Promise<LaterAnswer | null> {
    const { method, path, serial } = request;
    const [, kind, id, part] = /^\/v1\/(responses|files|batches|messages\/batches)(?:\/([\w-]+))?(?:\/(cancel|content|results))?$/.exec(path) ?? [];
    if (kind === undefined) return null;
    if (id === undefined) {
      if (method !== 'POST' || kind === 'responses') return null;
      const body = await request.body();
      if (body === null) return tooLarge;
      return kind === 'files' ? this.#upload(uploadedFile(request.contentType, body), serial) : this.#batch(kind, body, serial);
    }
    if (method !== 'GET' && !(method === 'POST' && part === 'cancel')) return null;
    if (kind === 'files') return this.#file(id, part === 'content');
    return kind === 'responses' ? this.#response(id, part === 'cancel') : this.#polledBatch(id, part ?? null);
  }

  #upload(file: UploadedFile | null, serial: number): LaterAnswer {
    if (file === null) return { kind: 'error', status: 400, message: 'The request body is not a form with a file.' };
    const id = `file-sandbox-${serial}`;
    this.#files.keep(id, file, file.content.length);
    return { kind: 'document', document: fileObject(id, file) };
  }

  #file(id: string, content: boolean): LaterAnswer {
    const file = this.#files.find(id);
    if (file === null) return gone;
    return content ? { kind: 'text', text: file.content } : { kind: 'document', document: fileObject(id, file) };
  }

  #response(id: string, cancel: boolean): LaterAnswer {
    const polled = this.#responses.find(id);
    if (polled === null) return gone;
    look(polled, cancel);
    const { work } = polled;
    if (hasEnded(polled) && !polled.cancelled) return { kind: 'document', document: work };
    return { kind: 'document', document: unfinished(work, polled.cancelled ? 'cancelled' : 'in_progress') };
  }

  #batch(kind: string, body: Buffer, serial: number): LaterAnswer {
    const asked = bodyObject(body.toString());
    if (asked === null) return { kind: 'error', status: 400, message: 'The request body is not a JSON object.' };
    if (kind !== 'batches' && objectsOf(asked['requests']).length === 0) {
      return { kind: 'error', status: 400, message: 'requests: a list is required.' };
    }
    const input = this.#files.find(String(asked['input_file_id']));
    if (kind === 'batches' && input === null) return { kind: 'error', status: 400, message: 'input_file_id names no file that was uploaded.' };
    const work = batchWork(kind === 'batches' ? { asked, lines: input!.content } : { asked, lines: null }, this.#answerNow, serial);
    for (const { id, content } of work.files) this.#files.keep(id, { name: `${id}.jsonl`, purpose: 'batch_output', content }, content.length);
    this.#batches.keep(work.id, { work, looks: 0, cancelled: false }, work.results?.length ?? 0);
    return { kind: 'document', document: work.object('began') };
  }

  #polledBatch(id: string, part: string | null): LaterAnswer {
    const polled = this.#batches.find(id);
    if (polled === null) return gone;
    const { work } = polled;
    if (part === 'results') {
      if (work.results !== null && hasEnded(polled) && !polled.cancelled) return { kind: 'text', text: work.results };
      return { kind: 'error', status: 404, message: 'This batch has no results: it is under way, or was cancelled. Ask for the batch itself first.' };
    }
    look(polled, part === 'cancel');
    return { kind: 'document', document: work.object(polled.cancelled ? 'cancelled' : hasEnded(polled) ? 'ended' : 'under way') };
  }
}

function look<Work>(polled: Polled<Work>, cancel: boolean): void {
  if (cancel && !hasEnded(polled)) polled.cancelled = true;
  else if (!cancel) polled.looks += 1;
}

function hasEnded({ looks }: Polled<unknown>): boolean {
  return looks >= 2;
}

function unfinished(whole: Fields, status: string): Fields {
  return { ...whole, background: true, status, output: [], usage: null };
}

function fileObject(id: string, { name, purpose, content }: UploadedFile): Fields {
  return { id, object: 'file', bytes: content.length, created_at: createdAtSeconds, filename: name, purpose, status: 'processed' };
}

