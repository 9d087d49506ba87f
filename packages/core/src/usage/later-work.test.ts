/**
 * The table of work that is done later: each row by the paths under which its providers document it, behind the names of upstreams too: what it
 * is recorded as, how rules name it, and whether an answer settles it. The documents show the same rows. Rules 6c and 6f.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { routeOf } from '../call/route.ts';
import { laterWork } from './later-work.ts';
import { withoutUsage } from './operation.ts';
import { beginsWork, begunAs } from './outcome-place.ts';
import { asksInHeader, membersAsking, unmeteredByHead } from './unmetered.ts';

/** By the row's own words. */
const paths: Readonly<Record<string, readonly string[]>> = {
  'batches': ['/v1/batches', '/upstream/v1/batches', '/upstreams/azure/openai/v1/batches', '/upstreams/azure/openai/batches',
    '/upstreams/groq/openai/v1/batches', '/upstreams/google/v1beta/openai/batches', '/upstreams/foundry/api/projects/p/openai/v1/batches'],
  'responses in the background': ['/v1/responses', '/upstream/v1/responses', '/upstreams/azure/openai/v1/responses',
    '/upstreams/aws/openai/v1/responses',
    '/upstreams/foundry/api/projects/p/openai/v1/responses', '/upstreams/perplexity/v1/agent'],
  'videos': ['/v1/videos', '/v1/videos/video_1/remix', '/upstreams/azure/openai/v1/videos'],
  'fine-tuning': ['/v1/fine_tuning/jobs', '/upstreams/azure/openai/fine_tuning/jobs', '/upstreams/mistral/v1/fine_tuning/jobs'],
  'batches of messages': ['/v1/messages/batches', '/alt/v1/messages/batches', '/upstreams/claude/v1/messages/batches'],
  'batch jobs': ['/upstream/v1/batch/jobs', '/upstreams/mistral/v1/batch/jobs'],
  'interactions in the background': ['/upstreams/google/v1beta/interactions', '/upstreams/google/v1/interactions'],
  'asynchronous chats': ['/upstreams/perplexity/async/chat/completions', '/upstreams/perplexity/v1/async/sonar'],
  'deferred chats': ['/upstream/v1/chat/completions', '/upstreams/xai/v1/chat/completions'],
  'runs of threads and of evals': ['/v1/threads/runs', '/v1/threads/t_1/runs', '/v1/evals/e_1/runs', '/upstreams/azure/openai/threads/t_1/runs',
    '/v1/threads/t_1/runs/r_1/submit_tool_outputs'],
  'sessions and automations of agents': ['/alt/v1/sessions', '/v1/agents/sessions/s_1/events', '/v1/agents/automations/a_1/invocations'],
  'dreams, and runs of deployments': ['/alt/v1/dreams', '/alt/v1/deployments/d_1/run'],
  'batches, of embeddings too, and videos': ['/upstreams/google/v1beta/models/g:batchGenerateContent',
    '/upstreams/google/v1beta/models/e:asyncBatchEmbedContent',
    '/upstreams/vertex/v1/projects/p/locations/l/publishers/google/models/veo:predictLongRunning'],
  'triggers and their executions': ['/upstreams/google/v1beta/triggers', '/upstreams/google/v1beta/triggers/t_1/executions'],
  'batch predictions': ['/upstreams/vertex/v1/projects/p/locations/l/batchPredictionJobs'],
  'batch inference and asynchronous invocations': ['/upstreams/aws/model-invocation-job', '/upstreams/aws/async-invoke'],
  'asynchronous invocations': ['/upstreams/aws/endpoints/e/async-invocations'],
  'requests for a batch': ['/upstream/v1/batches/b_1/requests', '/upstreams/xai/v1/batches/b_1/requests'],
  'embed jobs': ['/upstreams/cohere/v1/embed-jobs'],
  'batch inference': ['/upstreams/fireworks/v1/accounts/a/batchInferenceJobs'],
  'predictions': ['/upstreams/replicate/v1/predictions', '/upstreams/replicate/v1/models/o/n/predictions',
    '/upstream/v1/deployments/o/n/predictions'],
  'images and videos': ['/upstreams/alibaba/api/v1/services/aigc/text2image/image-synthesis',
    '/upstreams/alibaba/api/v1/services/aigc/video-generation/video-synthesis'],
};

test('every path of every row is recorded, ruled and settled as the table says', () => {
  assert.deepEqual(Object.keys(paths).sort(), laterWork.map(({ what }) => what).sort());
  for (const { what, kind, ifBody, settledBy } of laterWork) {
    for (const path of paths[what]!) {
      const { endpoint } = routeOf('POST', path)!;
      const operation = { endpoint, method: 'POST', path };
      const reason = ifBody !== null ? 'absent' : kind === 'deferred' ? 'deferred' : 'not_reported';
      assert.deepEqual([path, withoutUsage(operation), unmeteredByHead(operation)], [path, reason, ifBody === null ? kind : 'by_body']);
      assert.deepEqual([path, ifBody === null ? null : membersAsking(operation)], [path, ifBody]);
      if (settledBy !== null) assert.deepEqual([path, begunAs(path)?.what, beginsWork(operation)], [path, what, true]);
      else assert.equal(beginsWork(operation), false, path);
    }
  }
});

test('a header asks for work that is done later only at upstreams', () => {
  const headers = ['X-DashScope-Async', 'enable'];
  const path = '/upstreams/alibaba/api/v1/services/aigc/multimodal-generation/generation';
  const operation = { endpoint: 'other', method: 'POST', path } as const;
  assert.deepEqual([asksInHeader({ path }, headers), asksInHeader({ path }, []), asksInHeader({ path: '/v1/chat/completions' }, headers)],
    [true, false, false]);
  assert.deepEqual([unmeteredByHead({ ...operation, isAsynchronous: true }), unmeteredByHead(operation)], ['deferred', null]);
});

test('the documents show each row: whose it is, what it is, and whether it is followed', () => {
  const page = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8');
  for (const { of, what, kind, settledBy, followed } of laterWork) {
    const settles = settledBy === null ? 'no' : 'yes';
    assert.ok(page.includes(`| ${what} | ${of} | \`${kind}\` | ${settles} | ${followed === true ? 'yes' : `no: ${followed}`} |`), what);
  }
});
