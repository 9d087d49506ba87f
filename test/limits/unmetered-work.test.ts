/**
 * Work whose cost is not known at its end, from outside: billed later, never reported, or done with a key that the answer hands out. Ninety calls
 * on all three wires, in many spellings and through both readers of requests. Refused under a limit none leaves and nothing is counted
 * but the refusals; allowed, all leave, are unknown with a reason, and are counted in the cap, the run and the reports. Rule 6c.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { showRefusals } from '@metergate/platform/use-cases/refusals.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { showRun } from '@metergate/platform/use-cases/runs.ts';
import { keyPresented, showSelf } from '@metergate/platform/use-cases/self.ts';
import { showUsage } from '@metergate/platform/use-cases/usage.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { RawConnection, rawCall, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { wholeMetrics } from '@metergate/testkit/whole-metrics.ts';
import { bearer } from '../running-product.ts';
import { limitHeaders, noLimitHeaders, productForFile, type Tenant } from './tenant.ts';

const product = productForFile({ env: { SVC_UPSTREAM_ALLOW: '127.0.0.0/8' } });

interface Work { readonly target: string; readonly body: string }

const of = (body: string, ...targets: string[]): Work[] => targets.map((target) => ({ target, body }));
const deferred = of('{}', '/v1/batches', '/v1/batche%73', '/v1//batches/', '/v1/Batches', '/v1/batches;a=b', '/v1/%2562atches',
  '/v1/messages/batches',
  '/alt/v1/messages/batches', '/v1/messages%2Fbatches', '/alt/v1//messages/Batches?beta=true', '/upstream/v1/batches', '/upstream/v1/batches//',
  '/v1/threads/runs', '/v1/evals/e_1/runs', '/upstream/v1/predictions', '/upstream/v1/models/veo:predictLongRunning');
const background = [
  ...of('{"model":"m","background":true}', '/v1/responses', '/v1/response%73', '/v1//responses/', '/upstream/v1/responses'),
  ...of('{"background":true,"background":false}', '/v1/responses', '/upstream/v1/openai/v1/responses'),
  ...of('{"\\u0062ackground":true}', '/v1/responses'), ...of(`{"input":"${'x'.repeat(90_000)}","background":true}`, '/v1/responses'),
  // Not read to its end as one object, so it may ask for anything.
  ...of('{"background":false}{"background":true}', '/v1/responses'),
];
const unreported = of('{}', '/v1/videos', '/v1/videos/v_1/remix', '/v1/video%73/', '/upstream/v1/videos', '/v1/fine_tuning/jobs',
  '/v1/fine_tuning/alpha/graders/run', '/v1/audio/speech', '/v1/audio/transcriptions', '/v1/Audio//speech', '/v1/images/variations',
  '/v1/containers', '/upstream/v1/rerank');
const handedOut = of('{}', '/v1/realtime/client_secrets', '/v1/realtime/client%5Fsecrets', '/v1/Realtime/calls/', '/v1/realtime/sessions',
  '/v1/realtime/transcription_sessions', '/v1/realtime/calls/c_1/accept', '/upstream/v1/realtime/client_secrets', '/v1/chatkit/sessions');
/** Of other providers, in their own words and at their own paths. */
const atUpstreams = [
  ...of('{"model":"m","deferred":true}', '/v1/chat/completions', '/v1//chat/Completions/', '/openai/deployments/d/chat/completions'),
  ...of('{"deferred":true,"deferred":false}', '/v1/chat/completions'), ...of('{"model":"m","background":true}', '/v1beta/interactions', '/v1/agent'),
  ...of('{"serviceTier":"DEFERRED"}', '/v1beta/Interactions/'), ...of('{"service_tier":"deferred","service_tier":"flex"}', '/v1beta/interactions'),
  ...of('{}', '/v1beta/openai/batches', '/v1beta/models/e:asyncBatchEmbedContent', '/v1/projects/p/locations/l/batchPredictionJobs',
    '/v1beta/triggers/t_1/executions', '/api/v1/keys', '/openai/v1/video/generations/jobs', '/api/projects/p/threads/t_1/runs',
    '/v1/accounts/a/batchInferenceJobs', '/api/v1/services/aigc/video-generation/video-synthesis'),
];
const kinds = [
  [[...deferred, ...background], /^This organization refuses work that is billed later .*; an admin can allow it in its settings\.$/],
  [unreported, /^This organization refuses work whose usage is never reported .*; an admin can allow it in its settings\.$/],
  [handedOut, /^This organization refuses calls that hand out a provider key or a channel past the gateway .*; an admin can allow it/],
] as const;

/** Each twice: with its length, read without Node's server, and in chunks, which Node reads. */
const ninety: readonly (Work & { readonly chunked: boolean; readonly sentence: RegExp })[] = kinds
  .flatMap(([work, sentence]) => work.flatMap((each) => [{ ...each, chunked: false, sentence }, { ...each, chunked: true, sentence }]));

const underLimits = { deferred: 'refuse-under-limits', unreported: 'refuse-under-limits', handedOut: 'refuse-under-limits' } as const;
const providers = () => [product.system.openai, product.system.anthropic, product.system.upstream];
const heard = (): number[] => providers().flatMap(({ requests, connections }) => [requests.length, connections]);

/** A response in the background where one was asked for; anything else says nothing of usage. */
function answered({ body }: ReceivedRequest): ScriptedAnswer {
  const response = '{"id":"resp_1","object":"response","status":"queued","background":true,"model":"m","output":[],"usage":null}';
  return { headers: [['content-type', 'application/json']], body: body.includes('ackground') ? response : '{"id":"x_1","object":"x"}' };
}

async function tenantWith(settings: Parameters<typeof product.tenant>[0] = {}): Promise<Tenant> {
  const tenant = await product.tenant(settings);
  await product.system.declareUpstream({ organization: tenant.id });
  for (const provider of providers()) provider.respond(answered);
  await tenant.until(({ status }) => status === 200, { target: '/upstream/v1/files' });
  return tenant;
}

async function send(tenant: Tenant, { target, body, chunked }: Work & { readonly chunked: boolean }, headers: readonly HeaderPair[]) {
  const content = Buffer.from(body);
  const half = content.length >> 1;
  const answer = await rawCall(product.system.gatewayUrl, {
    method: 'POST', target, headers: [bearer(tenant.key), ...headers],
    ...(chunked ? { chunks: [content.subarray(0, half), content.subarray(half)] } : { body: content }),
  });
  if (answer.status === 200) tenant.answered += 1;
  return answer;
}

async function records(tenant: Tenant) {
  return eventually(async () => {
    const found = await keptCalls(product.store, tenant.id as never);
    return found.length >= tenant.answered && found;
  }, () => `not ${tenant.answered} records`);
}

/** Of whichever form the refusal has. */
function codeOf(answer: RawAnswer): unknown {
  const error = errorOf(answer);
  return error['code'] === 403 ? (error['details'] as readonly { readonly reason: string }[])[0]!.reason : error['code'];
}

function errorOf({ body }: RawAnswer): Record<string, unknown> {
  return (JSON.parse(body.toString()) as { error: Record<string, unknown> }).error;
}

async function refusedAll(tenant: Tenant, headers: readonly HeaderPair[] = []): Promise<void> {
  assert.equal(ninety.length, 90);
  const before = heard();
  for (const each of ninety) {
    const answer = await send(tenant, each, headers);
    const { code, type, param, message } = errorOf(answer);
    assert.deepEqual([answer.status, answer.reason], [403, 'Forbidden'], each.target);
    assert.deepEqual([code, type, param], ['unmetered_work_refused', 'invalid_request_error', null], each.target);
    assert.match(String(message), each.sentence, each.target);
    assert.deepEqual(limitHeaders(answer), noLimitHeaders, each.target);
  }
  assert.deepEqual(heard(), before, 'no connection, no request');
  assert.equal((await records(tenant)).length, tenant.answered);
}

/** The refusals that the platform counts, once there are as many. */
async function refusals(tenant: Tenant, count: number): Promise<void> {
  let counted = 0;
  await eventually(async () => {
    const nowMs = Date.now();
    const shown = await showRefusals(product.context(), { organization: tenant.id, sinceMs: nowMs - 7_200_000, untilMs: nowMs + 3_600_000 });
    assert.ok(!isRefusal(shown));
    counted = shown.byCode.find(({ code }) => code === 'unmetered_work_refused')?.refusals ?? 0;
    return counted === count;
  }, () => `${counted} of ${count} refusals`);
}

const saying = async (tenant: Tenant, wanted: number, options: object): Promise<void> => {
  await tenant.until(({ status }) => status === wanted, options);
};

test('refused under a cap of one cent, none of ninety calls leaves, and they are counted among the refusals alone', async () => {
  const tenant = await tenantWith({ unmetered: underLimits });
  // Nothing binds it yet.
  await saying(tenant, 200, { target: '/v1/batches' });
  await tenant.cap({ scope: 'organization', window: 'day', limit: '0.01' });
  await saying(tenant, 403, { target: '/v1/batches' });
  await refusedAll(tenant);
  await refusals(tenant, 91);
  assert.match(await wholeMetrics(product.system), /^metergate_refusals_total\{code="unmetered_work_refused"\} 91$/m);
  const [cap] = await tenant.caps();
  const known = await records(tenant);
  const unknown = known.filter(({ usage }) => usage === 'unknown').length;
  assert.deepEqual([cap!.spent, cap!.unknownCalls, cap!.state], ['0.000000000', unknown, 'open']);
  // Metered work goes on.
  assert.equal((await tenant.call('{"background":false}', { target: '/v1/responses' })).status, 200);
  assert.equal((await tenant.call('{}', { target: '/v1/images/generations' })).status, 200);
  assert.equal((await tenant.call('', { target: '/v1/batches', method: 'GET' })).status, 200);
});

test('refused under a cap of one cent, none leaves to a named upstream either', async () => {
  const tenant = await tenantWith({ unmetered: underLimits });
  const { system } = product;
  const args = ['--org', tenant.id, '--name', 'other'];
  const declared = await system.cli(['upstream', 'declare', ...args, '--url', system.upstream.url, '--json'], 'secret');
  assert.equal(declared.code, 0, declared.stderr);
  assert.equal((await system.cli(['upstream', 'enable', ...args, '--json'])).code, 0);
  await saying(tenant, 200, { target: '/upstreams/other/v1/batches' });
  await tenant.cap({ scope: 'organization', window: 'day', limit: '0.01' });
  await saying(tenant, 403, { target: '/upstreams/other/v1/batches' });
  const before = heard();
  const own = ninety.filter(({ target }) => target.startsWith('/v1/') && !target.startsWith('/v1/messages'));
  assert.ok(own.length > 50);
  const ofOthers = atUpstreams.flatMap((each) => [{ ...each, chunked: false }, { ...each, chunked: true }]);
  for (const each of [...own, ...ofOthers]) {
    const answer = await send(tenant, { ...each, target: `/upstreams/other${each.target}` }, []);
    assert.deepEqual([answer.status, codeOf(answer)], [403, 'unmetered_work_refused'], each.target);
  }
  const compressed = await rawCall(system.gatewayUrl, {
    method: 'POST', target: '/upstreams/other/v1/chat/completions', headers: [bearer(tenant.key), ['content-encoding', 'gzip']],
    body: gzipSync('{"deferred":true}'),
  });
  unread(compressed);
  const later = [['X-DashScope-Async', 'enable']] as const;
  const target = '/upstreams/other/api/v1/services/aigc/multimodal-generation/generation';
  assert.equal((await send(tenant, { target, body: '{}', chunked: false }, later)).status, 403);
  assert.deepEqual(heard(), before, 'no connection, no request');
  // What is answered at once goes on.
  const atOnce = [...of('{"deferred":false,"background":"white"}', '/v1/chat/completions'), ...of('{"service_tier":"flex"}', '/v1beta/interactions')];
  for (const each of atOnce) {
    assert.equal((await send(tenant, { ...each, target: `/upstreams/other${each.target}`, chunked: false }, [])).status, 200, each.target);
  }
});

test('refused under limits, the budget of a run refuses them too, and no run comes of it', async () => {
  const tenant = await tenantWith({ unmetered: underLimits });
  const headers = [['x-svc-run-id', 'never'], ['x-svc-run-budget', '0.01']] as const;
  await saying(tenant, 403, { target: '/v1/batches', headers });
  await refusedAll(tenant, headers);
  assert.equal(await product.store.runs.get({ organization: tenant.id as never, id: 'never' }), null);
  // A run without a budget, and a call without a run, are bound by nothing.
  assert.equal((await tenant.call('{}', { target: '/v1/batches', headers: [['x-svc-run-id', 'free']] })).status, 200);
  assert.equal((await tenant.call('{}', { target: '/v1/batches' })).status, 200);
});

test('a budget that a run has by policy binds its calls as well, whether it is new or not', async () => {
  const tenant = await tenantWith({ unmetered: underLimits, maxRunBudget: '0.01' });
  const inRun = (id: string, target: string): Promise<RawAnswer> => tenant.call('{}', { target, headers: [['x-svc-run-id', id]] });
  assert.equal((await inRun('new', '/v1/batches')).status, 403);
  assert.equal(await product.store.runs.get({ organization: tenant.id as never, id: 'new' }), null);
  const begun = await inRun('new', '/v1/files');
  assert.deepEqual([begun.status, limitHeaders(begun).effective], [200, '0.010000']);
  assert.equal((await inRun('new', '/v1/batches')).status, 403);
});

test('each kind is refused by its own rule, without any limit', async () => {
  for (const [kind, index] of [['deferred', 0], ['unreported', 1], ['handedOut', 2]] as const) {
    const tenant = await tenantWith({ unmetered: { [kind]: 'refuse' } });
    await saying(tenant, 403, { target: kinds[index][0][0]!.target });
    for (const [at, [work]] of kinds.entries()) {
      const { status } = await send(tenant, { ...work[0]!, chunked: false }, []);
      assert.equal(status, at === index ? 403 : 200, `${kind}: ${work[0]!.target}`);
    }
  }
});

function unread(answer: RawAnswer): void {
  assert.equal(answer.status, 403);
  assert.match(String(errorOf(answer)['message']), /could not be read to rule it out/);
}

test('a body that cannot be read is refused where background responses are, however it is sent', async () => {
  const tenant = await tenantWith({ unmetered: { deferred: 'refuse' } });
  await saying(tenant, 403, { target: '/v1/batches' });
  const before = heard();
  const bodies: readonly (readonly [Buffer, readonly HeaderPair[]])[] = [
    [gzipSync('{"background":true}'), [['content-encoding', 'gzip']]], [Buffer.from('{"background":true}', 'utf16le'), []],
    [Buffer.from('[1]'), []],
  ];
  for (const [body, headers] of bodies) {
    for (const framed of [{ body }, { chunks: [body] }]) {
      unread(await rawCall(product.system.gatewayUrl, {
        method: 'POST', target: '/v1/responses', headers: [bearer(tenant.key), ...headers], ...framed,
      }));
    }
  }
  // Longer than is held. One that says so is refused on its head; of another a little more is sent, which is read behind the answer.
  const long = Buffer.alloc(32 * 1024 * 1024 + 65_536, ' ');
  long.write('{"background":false}');
  unread(await rawCall(product.system.gatewayUrl, { method: 'POST', target: '/v1/responses', headers: [bearer(tenant.key)], chunks: [long] }));
  const caller = await RawConnection.open(product.system.gatewayUrl);
  caller.send(`POST /v1/responses HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${tenant.key}\r\ncontent-length: ${long.length}\r\n\r\n{`);
  unread(await caller.nextAnswer());
  await caller.close();
  assert.deepEqual(heard(), before);
  // A body within the bound arrives byte for byte.
  const body = `{"input":"${'y'.repeat(200_000)}","background":false}`;
  const arrived = product.system.openai.nextRequest();
  assert.equal((await send(tenant, { target: '/v1/responses', body, chunked: true }, [])).status, 200);
  assert.equal((await arrived).body.toString(), body);
});

test('allowed, all ninety leave, are unknown with a reason, and are counted in the cap, the run and every view', async () => {
  const tenant = await tenantWith();
  await tenant.cap({ scope: 'organization', window: 'month', limit: '0.01' });
  const headers = [['x-svc-run-id', 'r'], ['x-svc-run-budget', '0.01']] as const;
  await tenant.until((answer) => limitHeaders(answer).effective !== null, { target: '/v1/files', headers });
  const before = (await records(tenant)).map(({ id }) => id);
  for (const each of ninety) assert.equal((await send(tenant, each, headers)).status, 200, each.target);
  const made = (await records(tenant)).filter(({ id }) => !before.includes(id));
  assert.deepEqual([made.length, new Set(made.map(({ usage }) => usage))], [90, new Set(['unknown'])]);
  assert.deepEqual(new Set(made.map(({ usageReason }) => usageReason)), new Set(['deferred', 'not_reported']));
  const context = product.context();
  const presented = await keyPresented(context, tenant.key);
  const self = await showSelf(context, presented!, { docs: 'docs', labels: [] });
  const run = await showRun(context, { organization: tenant.id, run: 'r' });
  const around = { sinceMs: Date.now() - 86_400_000, untilMs: Date.now() + 86_400_000 };
  const usage = await showUsage(context, { organization: tenant.id, by: ['run'], ...around });
  assert.ok(!isRefusal(self) && !isRefusal(run) && !isRefusal(usage));
  const views = [(await tenant.caps())[0]!, self.caps[0]!, run, usage.find((row) => row.run === 'r')!];
  assert.deepEqual(views.map(({ unknownCalls }) => unknownCalls), [90, 90, 90, 90]);
});
