/**
 * Answers that tell how work ended, in the forms of the providers' own documents, whole and in pieces cut anywhere → what is settled and what it
 * cost. Rule 6f; rule 2 of the promises: usage is what the provider reported, or it is not known.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { costOf } from '../price/cost.ts';
import { createPriceBook } from '../price/price-book.ts';
import { costTogether } from '../price/priced-together.ts';
import { sampleList } from '../price/test-support/sample-list.ts';
import { OutcomeTally } from '../price/settlement.ts';
import type { Wire } from '../wire/wire.ts';
import { outcomePlaceOf, beginsWork } from './outcome-place.ts';
import { createOutcomeReader } from './outcome-reader.ts';

const book = createPriceBook({ list: sampleList, overlay: null });

interface Answer {
  readonly path: string;
  readonly body: string;
  readonly method?: string;
  readonly streamed?: boolean;
  readonly cut?: boolean;
  /** Bytes of each piece. */
  readonly pieces?: number;
}

/** What an answer of this path and body settles. */
function settledBy({ path, body, method = 'GET', streamed = false, cut = false, pieces = 1_000_000 }: Answer) {
  const place = outcomePlaceOf({ method, path })!;
  const wire: Wire = path.startsWith('/v1/messages') ? 'anthropic' : 'openai';
  const tally = new OutcomeTally(place, (reading) => (place.form === 'batch' ? costTogether : costOf)({
    reading, requestedModel: null, region: null, provider: wire, upstreamHost: null, book, fallback: null, atMs: Date.parse('2026-09-23T12:00:00Z'),
  }));
  const reader = createOutcomeReader({ wire, streamed }, tally);
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += pieces) reader.push(bytes.subarray(at, at + pieces));
  assert.equal(reader.finish(cut ? 'cut' : 'whole').usage, 'none', 'the answer itself has no usage');
  return { works: tally.works, figures: tally.figures() };
}

const response = {
  id: 'resp_67cb', object: 'response', created_at: 1741369938, status: 'completed', background: true, error: null, incomplete_details: null,
  model: 'plain', output: [], usage: { input_tokens: 1000, input_tokens_details: { cached_tokens: 400 }, output_tokens: 200,
    output_tokens_details: { reasoning_tokens: 50 }, total_tokens: 1200 },
};
const batch = {
  id: 'batch_abc123', object: 'batch', endpoint: '/v1/chat/completions', model: 'plain', errors: null, input_file_id: 'file-abc123',
  completion_window: '24h', status: 'completed', output_file_id: 'file-cvaTdG', error_file_id: 'file-HOWS94', created_at: 1711471533,
  request_counts: { total: 100, completed: 95, failed: 5 }, metadata: {},
  usage: { input_tokens: 1500, input_tokens_details: { cached_tokens: 1024 }, output_tokens: 500, output_tokens_details: { reasoning_tokens: 300 },
    total_tokens: 2000 },
};
const resultLine = (number: number, model = 'plain', prompt = 10): string => `${JSON.stringify({
  id: `batch_req_${number}`, custom_id: `request-${number}`, response: { status_code: 200, request_id: `req_${number}`, body: {
    id: `chatcmpl-${number}`, object: 'chat.completion', model, choices: [{ index: 0, message: { role: 'assistant', content: 'a\nb' },
      finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: 2, total_tokens: prompt + 2 }, system_fingerprint: null,
  } }, error: null,
})}\n`;
const expired = { code: 'batch_expired', message: 'late' };
const failedLine = `${JSON.stringify({ id: 'batch_req_9', custom_id: 'request-9', response: null, error: expired })}\n`;
const messageLine = (number: number, model = 'plain'): string => `${JSON.stringify({
  custom_id: `my-request-${number}`, result: { type: 'succeeded', message: { id: `msg_${number}`, type: 'message', role: 'assistant', model,
    content: [{ type: 'text', text: 'Hello!' }], stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 10, output_tokens: 2 } } },
})}\n`;

describe('a response made in the background', () => {
  test('is settled once it has ended, polled or streamed, and by the answer to its cancellation', () => {
    const { works, figures } = settledBy({ path: '/v1/responses/resp_67cb', body: JSON.stringify(response), pieces: 3 });
    assert.deepEqual(works, ['resp_67cb']);
    assert.deepEqual([figures?.inputTokens, figures?.cachedTokens, figures?.outputTokens, figures?.reasoningTokens], [1000, 400, 200, 50]);
    assert.equal(figures?.cost, 4_000_000n);
    const events = [{ type: 'response.created', response: { ...response, status: 'in_progress', usage: null } }, { type: 'response.completed',
      response }];
    const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    assert.equal(settledBy({ path: '/v1/responses/resp_67cb', body, streamed: true, cut: true }).figures?.cost, 4_000_000n);
    const cancelled = JSON.stringify({ ...response, status: 'cancelled' });
    assert.equal(settledBy({ method: 'POST', path: '/v1/responses/resp_67cb/cancel', body: cancelled }).figures?.cost, 4_000_000n);
  });
  for (const [why, changes] of [
    ['is not while it is under way', { status: 'in_progress', usage: null }],
    ['is not if it ended and reports no usage', { status: 'cancelled', usage: null }],
    ['is not if it was made in the foreground, because its own call has the usage', { background: false }],
  ] as const) {
    test(why, () => assert.equal(settledBy({ path: '/v1/responses/resp_67cb', body: JSON.stringify({ ...response, ...changes }) }).figures, null));
  }
  test('is not if the answer was cut before its usage', () => {
    const body = JSON.stringify(response);
    assert.equal(settledBy({ path: '/v1/responses/resp_67cb', body: body.slice(0, -80), cut: true }).figures, null);
  });
});

describe('a batch of the first wire', () => {
  test('has the usage of all its lines, at the price of a batch or with that gap, and names its files', () => {
    const { works, figures } = settledBy({ path: '/v1/batches/batch_abc123', body: JSON.stringify(batch), pieces: 1 });
    assert.deepEqual(works, ['batch_abc123', 'file-cvaTdG', 'file-HOWS94']);
    assert.deepEqual([figures?.serviceTier, figures?.costGaps, figures?.inputTokens], ['batch', ['service_tier'], 1500]);
  });
  test('is not settled before it has ended', () => {
    for (const status of ['validating', 'in_progress', 'finalizing', 'cancelling']) {
      assert.deepEqual(settledBy({ path: '/v1/batches/batch_abc123', body: JSON.stringify({ ...batch, status }) }), { works: [], figures: null });
    }
  });
  test('without usage names its files alone; with none at all it costs nothing', () => {
    const { works, figures } = settledBy({ path: '/v1/batches/batch_abc123', body: JSON.stringify({ ...batch, usage: undefined }) });
    assert.deepEqual([works.length, figures], [3, null]);
    const usage = { ...batch.usage, input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    assert.equal(settledBy({ path: '/v1/batches/batch_abc123', body: JSON.stringify({ ...batch, status: 'failed', usage }) }).figures?.usage, 'none');
  });
  test('whose sum may hide that no request was long is left to its lines', () => {
    const usage = { ...batch.usage, input_tokens: 200_001 };
    assert.equal(settledBy({ path: '/v1/batches/batch_abc123', body: JSON.stringify({ ...batch, model: 'long', usage }) }).figures, null);
    const body = resultLine(1, 'long', 150_000) + resultLine(2, 'long', 150_000);
    assert.equal(settledBy({ path: '/v1/files/file-cvaTdG/content', body }).figures?.cost, 2n * (150_000_000n + 8_000n));
  });
});

describe('result lines', () => {
  test('of 1,000 requests on either wire, each priced by itself, in constant memory', () => {
    const lines = Array.from({ length: 1_000 }, (_, number) => resultLine(number));
    for (const pieces of [1, 7, 65_536]) {
      const { works, figures } = settledBy({ path: '/v1/files/file-cvaTdG/content', body: lines.join('') + failedLine, pieces });
      assert.deepEqual([works, figures?.inputTokens, figures?.outputTokens, figures?.cost], [['file-cvaTdG'], 10_000, 2_000, 45_000_000n]);
    }
    const messages = Array.from({ length: 1_000 }, (_, number) => messageLine(number)).join('');
    const other = `${JSON.stringify({ custom_id: 'x', result: { type: 'errored', error: { type: 'invalid_request', message: 'no' } } })}\n`;
    const { works, figures } = settledBy({ path: '/v1/messages/batches/msgbatch_01HkcTja/results', body: messages + other, pieces: 1_000 });
    assert.deepEqual([works, figures?.inputTokens, figures?.outputTokens], [['msgbatch_01HkcTja'], 10_000, 2_000]);
  });
  test('that all failed cost nothing', () => {
    assert.equal(settledBy({ path: '/v1/files/file-HOWS94/content', body: failedLine }).figures?.usage, 'none');
    const late = JSON.stringify({ custom_id: 'x', result: { type: 'expired' } });
    assert.equal(settledBy({ path: '/v1/messages/batches/msgbatch_1/results', body: late }).figures?.usage, 'none');
  });
  test('of several models have no model; what has no price beside what has one is a gap', () => {
    const { figures } = settledBy({ path: '/v1/files/file-1/content', body: resultLine(1) + resultLine(2, 'unlisted') });
    assert.deepEqual([figures?.model, figures?.costGaps], [null, ['service_tier', 'other_model']]);
  });
  test('that were cut, or are not results at all, tell nothing', () => {
    const whole = resultLine(1) + resultLine(2);
    const broken = [whole.slice(0, -20), `${whole}no json\n`, '{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{}}\n',
      'PK\u0003\u0004', '',
      whole.replace('"prompt_tokens":10', '"prompt_tokens":1.5')];
    for (const body of broken) assert.equal(settledBy({ path: '/v1/files/file-1/content', body }).figures, null, body.slice(0, 20));
    assert.equal(settledBy({ path: '/v1/files/file-1/content', body: whole, cut: true }).figures, null);
  });
});

test('a video that was made has its seconds, a model that was trained its tokens: both without a price', () => {
  const video = { id: 'video_123', object: 'video', model: 'sora-2', status: 'completed', progress: 100, created_at: 1712697600,
    size: '1024x1792', seconds: '8' };
  const made = settledBy({ path: '/v1/videos/video_123', body: JSON.stringify(video) }).figures;
  assert.deepEqual([made?.units, made?.costSource, made?.model], [{ seconds: 8 }, 'unpriced', 'sora-2']);
  assert.equal(settledBy({ path: '/v1/videos/video_123', body: JSON.stringify({ ...video, status: 'failed' }) }).figures, null);
  const job = { object: 'fine_tuning.job', id: 'ftjob-abc123', model: 'plain', created_at: 1692661014, status: 'succeeded', trained_tokens: 5768 };
  const trained = settledBy({ path: '/v1/fine_tuning/jobs/ftjob-abc123', body: JSON.stringify(job) }).figures;
  assert.deepEqual([trained?.units, trained?.cost, trained?.inputTokens], [{ trainedTokens: 5768 }, null, null]);
  const running = JSON.stringify({ ...job, status: 'running', trained_tokens: null });
  assert.equal(settledBy({ path: '/v1/fine_tuning/jobs/ftjob-abc123', body: running }).figures, null);
});

test('what begins work and what tells its outcome is known on every wire, and nothing else is', () => {
  for (const path of ['/v1/responses', '/v1/batches', '/alt/v1/messages/batches', '/upstream/v1/videos', '/v1/videos/video_1/remix',
    '/v1/fine_tuning/jobs',
    '/upstreams/name/v1/batches']) {
    assert.equal(beginsWork({ method: 'POST', path }), true, path);
  }
  for (const path of ['/v1/responses/resp_1/input_items', '/v1/batches', '/v1/messages/batches/msgbatch_1', '/v1/files/file-1',
    '/v1/videos/v/content']) {
    assert.equal(outcomePlaceOf({ method: 'GET', path }), null, path);
  }
  assert.equal(outcomePlaceOf({ method: 'POST', path: '/v1/responses/resp_1' }), null);
  assert.deepEqual(outcomePlaceOf({ method: 'GET', path: '/upstream/v1/batches/Batch-1' }), { form: 'batch', id: 'Batch-1' });
});
