/** Which work has no known cost at its end, by its path in any spelling, and what an organization's rules make of it. Rule 6c. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeOf } from '../call/route.ts';
import {
  allowsAllUnmetered, mayHideInBody, unmeteredByHead, unmeteredKinds, unmeteredWorkOf, type AskedOfBody, type UnmeteredByHead, type UnmeteredPolicy,
} from './unmetered.ts';

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
    if (kind === 'hidden') continue;
    const path = cases.find(([each]) => each === kind)![1][0]!;
    for (const rule of ['refuse', 'refuse-under-limits'] as const) {
      const policy: UnmeteredPolicy = { ...allowsAllUnmetered, [kind]: rule };
      assert.deepEqual(unmeteredWorkOf(policy, operationOf(path), null), { kind, rule, ground: 'asked' });
      for (const [other, [first = '']] of cases) {
        if (other !== kind) assert.equal(unmeteredWorkOf(policy, operationOf(first), null), null, first);
      }
    }
    assert.equal(unmeteredWorkOf(allowsAllUnmetered, operationOf(path), null), null);
  }
});

test('a response is billed later if its body asks for it, and may be if the body could not be read', () => {
  const policy: UnmeteredPolicy = { ...allowsAllUnmetered, deferred: 'refuse' };
  const later = { asksLater: 'yes', hidesUsage: 'no' } as const;
  const work = (asked: 'no' | 'yes' | 'unread' | null) =>
    unmeteredWorkOf(policy, operationOf('/v1/responses'), asked === null ? null : { asksLater: asked, hidesUsage: 'unread' });
  assert.deepEqual([work(null), work('no')], [null, null]);
  assert.deepEqual(work('yes'), { kind: 'deferred', rule: 'refuse', ground: 'asked' });
  assert.deepEqual(work('unread'), { kind: 'deferred', rule: 'refuse', ground: 'unread' });
  assert.equal(unmeteredWorkOf({ ...policy, deferred: 'allow', unreported: 'refuse' }, operationOf('/v1/responses'), later), null);
});

const hides: AskedOfBody = { asksLater: 'no', hidesUsage: 'yes' };

test('usage is hidden by the head of a call that would report it, whatever the body says; of other calls there is none to hide', () => {
  const policy: UnmeteredPolicy = { ...allowsAllUnmetered, hidden: 'refuse-under-limits' };
  const work = (path: string, method = 'POST') => unmeteredWorkOf(policy, { ...operationOf(path, method), hides: true }, null);
  for (const path of ['/upstreams/g/v1beta/models/m:generateContent', '/upstream/v1/chat/completions', '/upstreams/g/v1beta/interactions']) {
    assert.deepEqual(work(path), { kind: 'hidden', rule: 'refuse-under-limits', ground: 'asked' }, path);
    assert.deepEqual(work(path, 'GET'), { kind: 'hidden', rule: 'refuse-under-limits', ground: 'asked' }, path);
  }
  for (const path of ['/upstream/v1/files', '/upstreams/g/v1beta/models', '/upstream/v1/batches', '/upstreams/g/v1beta/models/m:countTokens']) {
    assert.equal(work(path), null, path);
  }
});

test('a stream without its usage is hidden where its body can ask for one and the provider does not report unasked', () => {
  const policy: UnmeteredPolicy = { ...allowsAllUnmetered, hidden: 'refuse' };
  const streaming = ['/v1/chat/completions', '/v1/completions', '/upstream/v1/chat/completions', '/upstream/v1/openai/v1/chat/completions',
    '/upstreams/az/openai/deployments/d/chat/completions', '/upstreams/x/v1/completions', '/alt/v1/chat/completions',
    '/upstreams/x/v1/fim/completions'];
  for (const path of streaming) {
    const operation = operationOf(path);
    assert.ok(mayHideInBody(operation), path);
    assert.deepEqual(unmeteredWorkOf(policy, operation, hides), { kind: 'hidden', rule: 'refuse', ground: 'asked' }, path);
    const unread = unmeteredWorkOf(policy, operation, { ...hides, hidesUsage: 'unread' });
    assert.deepEqual(unread, { kind: 'hidden', rule: 'refuse', ground: 'unread' }, path);
    assert.deepEqual([unmeteredWorkOf(policy, operation, null), unmeteredWorkOf(policy, operation, { ...hides, hidesUsage: 'no' })], [null, null]);
    assert.equal(unmeteredWorkOf(policy, { ...operation, streamsReport: true }, hides), null, path);
    assert.equal(unmeteredWorkOf(policy, { ...operation, method: 'GET' }, hides), null, path);
    assert.equal(unmeteredWorkOf(allowsAllUnmetered, operation, hides), null, path);
  }
  for (const path of ['/v1/responses', '/v1/messages', '/v1/embeddings', '/upstreams/g/v1beta/models/m:streamGenerateContent', '/v1/files']) {
    assert.ok(!mayHideInBody(operationOf(path)), path);
    assert.equal(unmeteredWorkOf(policy, operationOf(path), hides), null, path);
  }
});

test('once too many answers to a key reported no usage, its metered calls count as hiding it, and no others do', () => {
  const policy: UnmeteredPolicy = { ...allowsAllUnmetered, hidden: 'refuse' };
  const work = (path: string, method = 'POST') => unmeteredWorkOf(policy, { ...operationOf(path, method), isUntold: true }, null);
  assert.deepEqual(work('/v1/messages'), { kind: 'hidden', rule: 'refuse', ground: 'untold' });
  assert.deepEqual([work('/v1/files'), work('/v1/batches'), work('/v1/responses', 'GET')], [null, null, null]);
});

test('of two kinds in one call the stricter rule counts', () => {
  const operation = operationOf('/upstream/v1/chat/completions');
  const both: AskedOfBody = { asksLater: 'yes', hidesUsage: 'yes' };
  const kindOf = (deferred: 'refuse' | 'refuse-under-limits', hidden: 'refuse' | 'refuse-under-limits') =>
    unmeteredWorkOf({ ...allowsAllUnmetered, deferred, hidden }, operation, both)!.kind;
  assert.deepEqual([kindOf('refuse', 'refuse'), kindOf('refuse-under-limits', 'refuse'), kindOf('refuse-under-limits', 'refuse-under-limits')],
    ['deferred', 'hidden', 'deferred']);
});
