/** Which answers are watched, and what is recorded if one reports no usage. Rule 6a. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeOf } from '../call/route.ts';
import type { WithoutUsage } from './reading.ts';
import { isWatched, withoutUsage } from './operation.ts';

const cases: readonly [WithoutUsage, readonly string[]][] = [
  ['absent', [
    '/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses', '/v1/responses/compact', '/v1/decisions', '/v1/messages',
    '/alt/v1/messages', '/alt/v1/chat/completions', '/upstream/v1/messages', '/upstream/v1/chat/completions', '/v1/responses/comp%61ct',
    '/v1//responses/compact/', '/upstream/v1/models/gemini-x:generateContent', '/upstream/v1/models/gemini-x:streamGenerateContent',
    '/upstream/v1/openai/deployments/d/chat/completions', '/upstream/v1/beta/chat/completions', '/upstream/v1/agents/completions',
    '/upstream/v1/openai/v1/responses', '/upstream/v1/openai/deployments/d/embeddings/',
    '/upstream/v1/projects/p/locations/l/publishers/anthropic/models/c:streamRawPredict',
  ]],
  ['deferred', [
    '/v1/batches', '/v1/messages/batches', '/alt/v1/messages/batches', '/upstream/v1/batches', '/v1/threads/runs', '/v1/threads/t_1/runs',
    '/v1/agents/sessions', '/v1/agents/sessions/s_1/events', '/v1/agents/automations/a_1/invocations', '/v1/live/sessions',
    '/v1/live/sessions/s_1/accept', '/v1/realtime/calls/c_1/accept', '/v1/threads/t_1/runs/r_1/submit_tool_outputs', '/v1/evals/e_1/runs',
    '/v1/realtime/calls', '/v1/realtime/client_secrets', '/upstream/v1/auth_tokens', '/v1/organization/projects/p_1/service_accounts',
    '/v1/batche%73', '/alt/v1/sessions', '/alt/v1/sessions/s_1/events', '/alt/v1/dreams',
    '/alt/v1/deployments/d_1/run', '/upstream/v1/predictions', '/upstream/v1/batch/jobs', '/upstream/v1/async/sonar',
    '/upstream/v1/async/chat/completions', '/upstream/v1/embed-jobs', '/upstream/v1/deployments/o/n/predictions',
    '/upstream/v1/models/o/n/predictions', '/upstream/v1/models/veo:predictLongRunning', '/upstreams/azure/openai/batches',
    '/upstreams/azure/openai/realtimeapi/sessions', '/upstreams/azure/openai/v1/batches', '/upstreams/p/async/chat/completions',
    '/upstreams/p/async/sonar', '/upstreams/aws/model-invocation-job', '/upstreams/aws/async-invoke', '/upstreams/aws/endpoints/e/async-invocations',
  ]],
  ['not_reported', [
    '/v1/images/generations', '/v1/images/edits', '/upstream/v1/images/generations', '/v1/audio/speech', '/v1/audio/transcriptions', '/v1/videos',
    '/v1/videos/v_1/remix', '/v1/fine_tuning/jobs', '/v1/fine_tuning/alpha/graders/run', '/v1/containers', '/alt/v1/complete', '/v1/audio/spe%65ch',
    '/upstream/v1/ocr', '/upstream/v1/rerank', '/upstream/v1/chat', '/upstream/v1/models/imagen:predict', '/upstream/v1/models/e:batchEmbedContents',
    '/upstreams/azure/openai/fine_tuning/jobs', '/upstreams/azure/openai/deployments/d/audio/speech', '/upstreams/p/search', '/upstream/v1/search',
    '/upstreams/ibm/ml/v1/text/generation_stream', '/upstreams/ibm/ml/v1-beta/generation/text', '/upstreams/tgi/generate_stream',
    '/upstreams/aws/endpoints/e/invocations', '/upstreams/aws/endpoints/e/invocations-response-stream',
  ]],
  ['none', [
    '/v1/models', '/v1/messages/count_tokens', '/v1/responses/input_tokens', '/v1/responses/r_1/cancel', '/v1/batches/b_1/cancel', '/v1/files',
    '/v1/moderations', '/v1/fine_tuning/jobs/j_1/cancel', '/v1/threads', '/v1/threads/t_1/messages', '/v1/vector_stores', '/v1/batchesx',
    '/v1/agents', '/v1/agents/sessions/s_1', '/v1/live/sessions/s_1/hangup', '/v1/realtime/calls/c_1/hangup',
    '/alt/v1/sessions/s_1', '/alt/v1/sessions/s_1/archive', '/alt/v1/agents', '/alt/v1/deployments', '/alt/v1/dreams/d_1/cancel',
    '/upstream/v1/models/gemini-x:countTokens', '/upstream/v1/tokenize',
    '/upstreams/vertex/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict',
  ]],
];

test('a charge without reported usage is unknown, with its reason; a free operation has none', () => {
  for (const [expected, paths] of cases) {
    for (const path of paths) {
      const { endpoint } = routeOf('POST', path)!;
      const said = endpoint === 'models' ? 'none' : expected;
      assert.equal(withoutUsage({ endpoint, method: 'POST', path }), said, path);
      for (const method of ['GET', 'DELETE', 'PUT']) assert.equal(withoutUsage({ endpoint, method, path }), 'none', `${method} ${path}`);
    }
  }
});

test('every answer to a method that may do work is watched', () => {
  const watched = (method: string): boolean => isWatched({ method, path: '/v1/files' });
  assert.deepEqual(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].map(watched), [true, true, true, true, true]);
  assert.deepEqual(['GET', 'HEAD', 'OPTIONS'].map(watched), [false, false, false]);
});

test('changing an object that the first provider keeps reports its usage again, which is not counted again; other spellings are watched', () => {
  const retold = ['/v1/chat/completions/chatcmpl-AbC_9', '/v1/threads/thread_abc/runs/run_abc', '/v1/responses/resp_1/cancel'];
  for (const path of retold) assert.equal(isWatched({ method: 'POST', path }), false, path);
  const watched = ['/v1/chat/completions', '/v1/chat/completions/', '/v1/chat/completions/x', '/v1/chat/completions/chatcmpl-1;/..',
    '/v1/threads/runs', '/v1/threads/thread_a/runs', '/v1/threads/thread_a/runs/run_a/submit_tool_outputs', '/v1/responses/x/cancel',
    '/upstream/v1/chat/completions/chatcmpl-1', '/alt/v1/chat/completions/chatcmpl-1', '/v1//chat/completions/chatcmpl-1'];
  for (const path of watched) assert.equal(isWatched({ method: 'POST', path }), true, path);
});
