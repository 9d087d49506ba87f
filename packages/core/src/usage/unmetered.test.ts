/** Which work has no known cost at its end, by its path in any spelling, and what an organization's rules make of it. Rule 6c. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeOf } from '../call/route.ts';
import { allowsAllUnmetered, unmeteredByHead, unmeteredKinds, unmeteredWorkOf, type UnmeteredByHead, type UnmeteredPolicy } from './unmetered.ts';

const operationOf = (path: string, method = 'POST') => ({ endpoint: routeOf(method, path)!.endpoint, method, path });

const cases: readonly [UnmeteredByHead, readonly string[]][] = [
  ['deferred', [
    '/v1/batches', '/v1/messages/batches', '/alt/v1/messages/batches', '/upstream/v1/batches', '/v1/threads/t_1/runs', '/v1/evals/e_1/runs',
    '/v1/agents/sessions', '/alt/v1/dreams', '/upstream/v1/predictions', '/upstream/v1/models/veo:predictLongRunning', '/v1/batche%73',
    '/v1//batches/', '/v1/Batches', '/v1/batches;a=b', '/v1/%2562atches', '/v1/messages%2Fbatches', '/alt/v1//messages/Batches',
    '/upstreams/google/v1beta/openai/batches', '/upstreams/az/api/projects/p/threads/t/runs', '/upstreams/x/foo/v1/async/chat/completions',
  ]],
  ['unreported', [
    '/v1/videos', '/v1/videos/v_1/remix', '/v1/fine_tuning/jobs', '/v1/containers', '/v1/audio/speech', '/v1/audio/transcriptions',
    '/upstreams/az/openai/v1/video/generations/jobs', '/upstreams/fw/inference/v1/workflows/accounts/fireworks/models/flux/text_to_image',
    '/v1/fine_tuning/jobs/j_1/resume', '/upstreams/together/v1/endpoints', '/upstreams/vertex/v1/projects/p/locations/l/endpoints/e:deployModel',
    '/v1/images/variations', '/upstream/v1/rerank', '/upstream/v1/ocr', '/v1/video%73/', '/v1/Fine_Tuning//jobs',
  ]],
  ['handedOut', [
    '/v1/realtime/client_secrets', '/v1/realtime/sessions', '/v1/realtime/calls', '/v1/realtime/calls/c_1/accept',
    '/v1/realtime/transcription_sessions', '/v1/realtime/translations', '/v1/realtime/translations/client_secrets', '/v1/chatkit/sessions',
    '/v1/live/sessions', '/v1/live/sessions/s_1/fork', '/upstream/v1/realtime/client_secrets', '/upstream/v1/auth_tokens',
    '/upstreams/or/api/v1/keys', '/upstreams/or/api/v1/auth/keys', '/upstreams/p/generate_auth_token',
    '/upstreams/fw/v1/accounts/a/users/u/apiKeys', '/v1/organization/admin_api_keys', '/v1/organization/projects/p_1/service_accounts',
    '/v1/realtime/client%5fsecrets', '/v1/Realtime/Calls/',
  ]],
  ['by_body', [
    '/v1/responses', '/v1/response%73', '/v1//responses/', '/upstream/v1/responses', '/alt/v1/responses', '/upstream/v1/openai/v1/responses',
    '/upstream/v1/chat/completions', '/upstreams/xai/v1/chat/completions', '/upstreams/google/v1beta/interactions', '/upstreams/p/v1/agent',
    '/upstreams/az/openai/deployments/d/chat/completions', '/upstreams/google/v1beta/Interactions/',
  ]],
  [null, [
    '/v1/chat/completions', '/v1/embeddings', '/v1/messages', '/v1/responses/compact', '/v1/responses/input_tokens', '/v1/images/generations',
    '/v1/images/edits', '/v1/files', '/v1/models', '/v1/batches/b_1/cancel', '/v1/realtime/calls/c_1/hangup', '/v1/messages/count_tokens',
  ]],
];

test('the path says the kind of the work, in any spelling and for every wire', () => {
  for (const [kind, paths] of cases) for (const path of paths) assert.equal(unmeteredByHead(operationOf(path)), kind, path);
});

test('only what does work has a kind: looking and deleting have none', () => {
  for (const [, paths] of cases) {
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) assert.equal(unmeteredByHead(operationOf(path, method)), null, path);
    }
  }
});

test('a method that nobody documents is taken for one that does work', () => {
  for (const method of ['PUT', 'PATCH', 'PROPFIND', 'post']) {
    assert.deepEqual([unmeteredByHead(operationOf('/v1/batches', method)), unmeteredByHead(operationOf('/upstreams/x/v1/chat/completions', method))],
      ['deferred', 'by_body'], method);
  }
});

test('each kind goes by its own rule; what is allowed, or is not asked for, is nothing to refuse', () => {
  for (const kind of unmeteredKinds) {
    const path = cases.find(([each]) => each === kind)![1][0]!;
    for (const rule of ['refuse', 'refuse-under-limits'] as const) {
      const policy: UnmeteredPolicy = { ...allowsAllUnmetered, [kind]: rule };
      assert.deepEqual(unmeteredWorkOf(policy, operationOf(path), null), { kind, rule, unread: false });
      for (const [other, [first = '']] of cases) {
        if (other !== kind) assert.equal(unmeteredWorkOf(policy, operationOf(first), null), null, first);
      }
    }
    assert.equal(unmeteredWorkOf(allowsAllUnmetered, operationOf(path), null), null);
  }
});

test('a response is billed later if its body asks for it, and may be if the body could not be read', () => {
  const policy: UnmeteredPolicy = { ...allowsAllUnmetered, deferred: 'refuse' };
  const work = (asked: 'no' | 'yes' | 'unread' | null) => unmeteredWorkOf(policy, operationOf('/v1/responses'), asked);
  assert.deepEqual([work(null), work('no')], [null, null]);
  assert.deepEqual(work('yes'), { kind: 'deferred', rule: 'refuse', unread: false });
  assert.deepEqual(work('unread'), { kind: 'deferred', rule: 'refuse', unread: true });
  assert.equal(unmeteredWorkOf({ ...policy, deferred: 'allow', unreported: 'refuse' }, operationOf('/v1/responses'), 'yes'), null);
});
