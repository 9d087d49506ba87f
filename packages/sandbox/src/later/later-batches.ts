/** Batches of both wires: their requests are answered when they come, their objects say that they are under way until they are asked for again. */
import { createdAtSeconds } from '../sandbox-answer.ts';
import { isFields, bodyObject, objectsOf, type Fields } from '../sandbox-request.ts';

/** Answers one request of a batch, as that operation would; null: the sandbox does not simulate it, or its body is not an object. */
export type AnswerNow = (path: string, body: Fields) => Fields | null;

type BatchState = 'began' | 'under way' | 'ended' | 'cancelled';

export interface BatchWork {
  readonly id: string;
  /** The batch as it is shown. */
  readonly object: (state: BatchState) => Fields;
  /** Files that it writes. */
  readonly files: readonly { readonly id: string; readonly content: Buffer }[];
  /** The lines of its results, where they are no file. */
  readonly results: Buffer | null;
}

/** `lines`: of the first wire's input file; null: a batch of messages, with its requests in the body. */
export function batchWork(
  { asked, lines }: { readonly asked: Fields; readonly lines: Buffer | null }, answerNow: AnswerNow, serial: number,
): BatchWork {
  return lines === null ? messageBatch(asked, answerNow, serial) : fileBatch(asked, { lines, answerNow, serial });
}

interface Input {
  readonly lines: Buffer;
  readonly answerNow: AnswerNow;
  readonly serial: number;
}

function fileBatch(asked: Fields, { lines, answerNow, serial }: Input): BatchWork {
  const id = `batch_sandbox_${serial}`;
  const [done, failed]: [string[], string[]] = [[], []];
  const sum = { input: 0, cached: 0, output: 0 };
  let model: unknown = null;
  for (const text of lines.toString().split('\n')) {
    if (text.trim() === '') continue;
    const line = bodyObject(text);
    const body = line !== null && isFields(line['body']) ? answerNow(String(line['url']), line['body']) : null;
    const at = { id: `batch_req_sandbox_${serial}_${done.length + failed.length}`, custom_id: line?.['custom_id'] ?? null };
    if (body === null) {
      const error = { message: "Metergate's sandbox does not simulate this request.", type: 'invalid_request_error', param: null, code: null };
      failed.push(JSON.stringify({ ...at, response: { status_code: 400, request_id: `sandbox-${serial}`, body: { error } }, error: null }));
      continue;
    }
    model ??= body['model'];
    addUsage(sum, body['usage']);
    done.push(JSON.stringify({ ...at, response: { status_code: 200, request_id: `sandbox-${serial}`, body }, error: null }));
  }
  const written = ([['output', done], ['error', failed]] as const).filter(([, each]) => each.length > 0)
    .map(([name, each]) => ({ name, id: `file-sandbox-${serial}-${name}`, content: Buffer.from(`${each.join('\n')}\n`) }));
  const named = (name: string): string | null => written.find((each) => each.name === name)?.id ?? null;
  const base = {
    id, object: 'batch', endpoint: asked['endpoint'] ?? null, model, errors: null, input_file_id: asked['input_file_id'],
    created_at: createdAtSeconds, completion_window: asked['completion_window'] ?? '24h', metadata: asked['metadata'] ?? null,
    output_file_id: null, error_file_id: null, usage: null, request_counts: { total: done.length + failed.length, completed: 0, failed: 0 },
  };
  const usage = {
    input_tokens: sum.input, input_tokens_details: { cached_tokens: sum.cached }, output_tokens: sum.output, output_tokens_details: {
      reasoning_tokens: 0 }, total_tokens: sum.input + sum.output,
  };
  const ended = { ...base, status: 'completed', output_file_id: named('output'), error_file_id: named('error'), usage,
    request_counts: { total: done.length + failed.length, completed: done.length, failed: failed.length } };
  const statuses = { began: 'validating', 'under way': 'in_progress', cancelled: 'cancelled' } as const;
  return { id, files: written, results: null, object: (state) => (state === 'ended' ? ended : { ...base, status: statuses[state] }) };
}

function messageBatch(asked: Fields, answerNow: AnswerNow, serial: number): BatchWork {
  const id = `msgbatch_sandbox_${serial}`;
  let succeeded = 0;
  const lines = objectsOf(asked['requests']).map(({ custom_id, params }) => {
    const message = isFields(params) ? answerNow('/v1/messages', params) : null;
    if (message !== null) succeeded += 1;
    const error = { type: 'error', error: { type: 'invalid_request_error', message: 'The request has no params.' } };
    return JSON.stringify({ custom_id, result: message === null ? { type: 'errored', error } : { type: 'succeeded', message } });
  });
  const created = new Date(createdAtSeconds * 1_000).toISOString();
  const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  const base = {
    id, type: 'message_batch', processing_status: 'in_progress', request_counts: { ...counts, processing: lines.length }, created_at: created,
    expires_at: created, ended_at: null, archived_at: null, cancel_initiated_at: null, results_url: null,
  };
  const over = { ...base, processing_status: 'ended', ended_at: created };
  // A path alone: the provider's own address would lead the client past the gateway.
  const results_url = `/v1/messages/batches/${id}/results`;
  const ended = { ...over, results_url, request_counts: { ...counts, succeeded, errored: lines.length - succeeded } };
  const cancelled = { ...over, cancel_initiated_at: created, request_counts: { ...counts, canceled: lines.length } };
  return {
    id, files: [], results: Buffer.from(lines.map((line) => `${line}\n`).join('')),
    object: (state) => (state === 'ended' ? ended : state === 'cancelled' ? cancelled : base),
  };
}

function addUsage(sum: { input: number; cached: number; output: number }, usage: unknown): void {
  if (!isFields(usage)) return;
  const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
  const details = usage['input_tokens_details'] ?? usage['prompt_tokens_details'];
  sum.input += count(usage['input_tokens'] ?? usage['prompt_tokens']);
  sum.output += count(usage['output_tokens'] ?? usage['completion_tokens']);
  sum.cached += isFields(details) ? count(details['cached_tokens']) : 0;
}
