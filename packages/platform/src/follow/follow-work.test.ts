/**
 * Following work: how often and whom it asks, what it obeys, when it ends, and that two platforms settle work once. On both engines. Decision 138.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { UpstreamAuth } from '@metergate/core/wire/upstream-auth.ts';
import { sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '@metergate/store/test-support/contract-store.ts';
import { othersFirst, workFor } from '@metergate/store/threads/others-first.ts';
import { createAddressGuard } from '@metergate/store/network/address-guard.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { startScriptedProvider, type ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { createFollowWork, type FollowWork } from './follow-work.ts';
import { followedForMs, pauseMs, retryAfterMs } from './follow-pace.ts';

const contractStore = contractStores();
const guard = createAddressGuard({ allow: parseAddressRanges(['127.0.0.0/8']) });

test('pauses grow with the age of the work, and Retry-After is obeyed within bounds', () => {
  assert.deepEqual([0, 15_000, 60_000, 600_000, 3_600_000, 86_400_000].map(pauseMs), [2_000, 2_000, 6_000, 60_000, 60_000, 600_000]);
  const now = Date.parse('2026-11-24T00:00:00Z');
  assert.deepEqual(['7', '0', '999999', null, 'soon', 'Tue, 24 Nov 2026 00:01:00 GMT'].map((text) => retryAfterMs(text, now)),
    [7_000, 1_000, 3_600_000, 30_000, 30_000, 60_000]);
});

for (const on of bothEngines) {
  describe(`following work on ${on.title}`, async () => {
    const { store, another, newOrganization } = await contractStore(on);
    const other = await another();
    let segments = 0;

    /** An organization whose work is followed, its provider, and two platforms whose clock is the test's. */
    async function context(answer: (target: string) => ScriptedAnswer) {
      const provider = await startScriptedProvider();
      provider.respond(({ target }) => answer(target));
      const organization = await newOrganization();
      await store.organizations.set(organization, { follow: true });
      await store.providers.connect(organization, 'openai', 'sk-followed');
      const began = Date.parse('2026-11-24T00:00:00Z');
      const time = { nowMs: began };
      const said: string[] = [];
      const platforms = [store, other].map((each, index): FollowWork => createFollowWork({
        store: each, clock: () => time.nowMs, randomBytes: (count) => randomBytes(count), holder: `plt_${segments}_${index}`,
        providerUrls: { openai: provider.url, anthropic: provider.url }, sandbox: false, guardOf: () => guard, failed: (fault) => { throw fault; },
        say: (line) => said.push(line),
      }));
      const begin = (of: OrganizationId = organization, work = 'resp_1', path = '/v1/responses'): Promise<void> => store.calls.ship({
        segment: `seg_followed_${on.title}_${++segments}`, through: 1, records: [{ seq: 1, record: sampleRecord(of, {
          usage: 'unknown', usageReason: 'deferred', cost: null, costSource: 'none', path, works: [work], startedAtMs: began,
          ...(path.startsWith('/upstream') ? { wire: 'upstream', endpoint: 'other' } as const : { endpoint: 'responses' } as const),
        }) }],
      });
      return {
        provider, organization, time, platforms, begin, said,
        settled: async () => (await keptCalls(store, organization)).filter(({ kind }) => kind === 'settlement'),
        async end() {
          for (const platform of platforms) await platform.end();
          await store.organizations.set(organization, { follow: false });
          await provider.close();
        },
      };
    }
    const response = (changes: object): ScriptedAnswer => ({ headers: [['content-type', 'application/json']], body: JSON.stringify({
      id: 'resp_1', object: 'response', background: true, status: 'completed', model: 'gpt-4o-mini', output: [],
      usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 }, ...changes }) });

    test('it asks with the key of the organization until the work has ended, and not before it is due', async () => {
      let status = 'in_progress';
      const { provider, time, platforms: [one], begin, settled, end } =
        await context(() => response(status === 'completed' ? {} : { status, usage: null }));
      await begin();
      assert.equal(await one!.pass(), 0, 'two seconds have not passed');
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 1);
      assert.equal(await one!.pass(), 0);
      assert.ok(provider.requests[0]!.headers.some(([name, value]) => name.toLowerCase() === 'authorization' && value === 'Bearer sk-followed'));
      status = 'completed';
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 1);
      assert.deepEqual((await settled()).map(({ inputTokens, works }) => [inputTokens, works]), [[10, ['resp_1']]]);
      time.nowMs += 3_600_000;
      assert.equal(await one!.pass(), 0, 'it is settled');
      await end();
    });

    test('one platform asks, and when it ends another goes on; what both ask is settled once', async () => {
      const { provider, time, platforms: [one, two], begin, settled, end } = await context(() => response({}));
      await begin();
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 1);
      assert.equal(await two!.pass(), null);
      await one!.end();
      time.nowMs += 60_000;
      await begin(undefined, 'resp_2');
      assert.equal(await two!.pass(), 1);
      assert.deepEqual([provider.requests.length, (await settled()).length], [2, 1], 'the answer for the second names the first, which is settled');
      await end();
    });

    test('a provider that wants to be left alone is, for all work of the organization', async () => {
      const { provider, time, platforms: [one], begin, end } = await context(() => ({ status: 429, headers: [['retry-after', '600']], body: '{}' }));
      for (let work = 1; work <= 3; work += 1) await begin(undefined, `resp_${work}`);
      for (let seconds = 0; seconds < 500; seconds += 50) {
        time.nowMs += 50_000;
        await one!.pass();
      }
      assert.ok(provider.requests.length <= 4, `${provider.requests.length} questions`);
      await end();
    });

    test('it ends for work that ended without its usage, and after a month', async () => {
      const { provider, time, platforms: [one], begin, settled, end } = await context(() => response({ status: 'cancelled', usage: null }));
      await begin();
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 1);
      await begin(undefined, 'resp_2');
      time.nowMs += followedForMs;
      assert.equal(await one!.pass(), 1);
      time.nowMs += 3_600_000;
      assert.equal(await one!.pass(), 0);
      assert.deepEqual([provider.requests.length, (await settled()).length], [1, 0]);
      await end();
    });

    test('one organization with much work does not keep others waiting', async () => {
      const { provider, organization, time, platforms: [one], begin, end } = await context(() => response({ status: 'in_progress', usage: null }));
      for (let work = 0; work < 20; work += 1) await begin(organization, `resp_${work}`);
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 5);
      assert.equal(provider.requests.length, 5);
      await end();
    });

    test('believes nothing of a provider that answers wrongly, and asks it no more often for that', async () => {
      const [other, elsewhere] = [{ id: 'resp_2' }, 'https://127.0.0.1:1/v1/responses/resp_1'];
      const json: ScriptedAnswer['headers'] = [['content-type', 'application/json']];
      const answers: readonly (readonly [string, ScriptedAnswer])[] = [
        ['another piece of work', response(other)],
        ['another piece of work without usage', response({ ...other, usage: null })],
        ['a negative figure', response({ usage: { input_tokens: -10, output_tokens: 2, total_tokens: 1 }, status: 'in_progress' })],
        ['a status of another day', response({ status: 'archived', usage: null })],
        ['a redirect', { status: 307, headers: [['location', elsewhere]], body: '' }],
        ['no JSON', { headers: json, body: '{"id":"resp_1","status":"completed","usage":{"input_tok' }],
        ['a list', { headers: json, body: '[1]' }],
        ['nothing', { headers: json, body: '' }],
      ];
      for (const [what, answer] of answers) {
        const { provider, time, platforms: [one], begin, settled, end } = await context(() => answer);
        await begin();
        time.nowMs += 2_000;
        assert.equal(await one!.pass(), 1, what);
        assert.equal(await one!.pass(), 0, what);
        assert.deepEqual([(await settled()).length, provider.requests.length, one!.asked().waiting], [0, 1, 1], what);
        time.nowMs += 2_000;
        assert.equal(await one!.pass(), 1, `${what}: it is asked for again`);
        await end();
      }
    });

    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
    const completion = { object: 'chat.completion', model: 'gpt-4o-mini', choices: [{ index: 0, finish_reason: 'stop' }], usage };
    const line = (body: object): string => `${JSON.stringify({ id: 'b', custom_id: 'a', response: { status_code: 200, body }, error: null })}\n`;
    const message = { custom_id: 'a', result: { type: 'succeeded', message: { type: 'message', model: 'claude-sonnet-4-5', content: [],
      stop_reason: 'end_turn', usage: { input_tokens: 10, output_tokens: 2 } } } };
    const totals = { total_input_tokens: 10, total_output_tokens: 2, total_tokens: 12 };
    const answersOf = (answers: Readonly<Record<string, object | string>>) => (target: string): ScriptedAnswer => {
      const found = answers[target];
      return found === undefined ? { status: 404, body: '{}' } : { body: typeof found === 'string' ? found : JSON.stringify(found) };
    };

    for (const [what, { base = '', path, work, auth = 'bearer', header, answers, sold = 'openai' }] of Object.entries<{
      readonly base?: string; readonly path: string; readonly work: string; readonly auth?: UpstreamAuth; readonly header: readonly [string, string];
      readonly answers: Readonly<Record<string, object | string>>; readonly sold?: string;
    }>({
      'a batch behind Azure\'s dated paths': { path: '/upstreams/other/openai/batches', work: 'batch_1', auth: 'api-key',
        header: ['api-key', 'secret'],
        answers: { '/openai/v1/batches/batch_1': { id: 'batch_1', object: 'batch', status: 'completed', output_file_id: 'file-1' },
          '/openai/v1/files/file-1/content': line(completion) } },
      'a batch behind an address with a path': { base: '/openai', path: '/upstreams/other/v1/batches', work: 'batch_1',
        header: ['authorization', 'Bearer secret'],
        answers: { '/openai/v1/batches/batch_1': { id: 'batch_1', object: 'batch', status: 'completed', output_file_id: 'file-1' },
          '/openai/v1/files/file-1/content': line(completion) } },
      'a job of Mistral\'s': { path: '/upstreams/other/v1/batch/jobs', work: 'b1', header: ['authorization', 'Bearer secret'],
        answers: { '/v1/batch/jobs/b1': { id: 'b1', object: 'batch', status: 'SUCCESS', output_file: 'f1' },
          '/v1/files/f1/content': line(completion) } },
      'a batch of messages': { path: '/upstreams/other/v1/messages/batches', work: 'msgbatch_1', auth: 'x-api-key',
        header: ['anthropic-version', '2023-06-01'], sold: 'anthropic',
        answers: { '/v1/messages/batches/msgbatch_1': { id: 'msgbatch_1', processing_status: 'ended' },
          '/v1/messages/batches/msgbatch_1/results': `${JSON.stringify(message)}\n` } },
      'a response in the background': { path: '/upstreams/other/openai/v1/responses', work: 'resp_1', header: ['authorization', 'Bearer secret'],
        answers: { '/openai/v1/responses/resp_1': { id: 'resp_1', object: 'response', background: true, status: 'completed', model: 'gpt-4o-mini',
          output: [], usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 } } } },
      'an interaction in the background': { path: '/upstreams/other/v1beta/interactions', work: 'v1_1', auth: 'x-goog-api-key',
        header: ['x-goog-api-key', 'secret'], sold: 'google',
        answers: { '/v1beta/interactions/v1_1': { id: 'v1_1', status: 'completed', model: 'gemini-2.5-flash', usage: totals } } },
      'an asynchronous chat of Perplexity\'s': { path: '/upstreams/other/async/chat/completions', work: 'r1',
        header: ['authorization', 'Bearer secret'],
        answers: { '/async/chat/completions/r1': { id: 'r1', status: 'COMPLETED', response: completion } } },
      'a batch of the upstream without a name': { path: '/upstream/v1/batches', work: 'batch_1', header: ['authorization', 'Bearer secret'],
        answers: { '/v1/batches/batch_1': { id: 'batch_1', object: 'batch', status: 'completed', output_file_id: 'file-1' },
          '/v1/files/file-1/content': line(completion) } },
    })) {
      test(`${what} at an upstream is asked for there, and settled once`, async () => {
        const { provider, organization, time, platforms: [one], begin, settled, end } = await context(answersOf(answers));
        const url = `${provider.url}${base}`;
        if (path.startsWith('/upstreams/')) {
          await store.namedUpstreams.declare(organization, { name: 'other', url, credential: 'secret', auth, dialect: null, provider: sold });
        } else await store.upstreams.declare(organization, { url, credential: 'secret' });
        await begin(undefined, work, path);
        time.nowMs += 2_000;
        assert.equal(await one!.pass(), 1);
        assert.equal(provider.requests.length, 0, 'it is not enabled');
        if (path.startsWith('/upstreams/')) await store.namedUpstreams.enable(organization, 'other');
        else await store.upstreams.enable(organization);
        time.nowMs += 60_000;
        assert.equal(await one!.pass(), 1);
        const [kept, ...others] = await settled();
        assert.deepEqual([others.length, kept?.wire, kept?.inputTokens, kept?.outputTokens], [0, 'upstream', 10, 2],
          provider.requests.map(({ target }) => target).join());
        assert.equal(kept!.cost === null, !path.startsWith('/upstreams/'), 'priced as what it was declared to be');
        assert.ok(provider.requests.every(({ headers }) => headers.some(([name, value]) => name.toLowerCase() === header[0] && value === header[1])));
        time.nowMs += 3_600_000;
        assert.equal(await one!.pass(), 0, 'it is settled');
        await end();
      });
    }

    test('what cannot be asked for is not: chats that can be had once, upstreams with made credentials or an address inside', async () => {
      const { provider, organization, time, platforms: [one], begin, settled, end } = await context(answersOf({}));
      const declare = (name: string, url: string, auth: UpstreamAuth) =>
        store.namedUpstreams.declare(organization, { name, url, credential: 'secret', auth, dialect: null, provider: null });
      await declare('xai', provider.url, 'bearer');
      await declare('inside', 'https://10.0.0.1', 'bearer');
      await declare('aws', provider.url, 'aws-sigv4');
      for (const name of ['xai', 'inside', 'aws']) await store.namedUpstreams.enable(organization, name);
      await begin(undefined, 'one', '/upstreams/xai/v1/chat/completions');
      await begin(undefined, 'batch_1', '/upstreams/inside/v1/batches');
      await begin(undefined, 'batch_1', '/upstreams/aws/openai/v1/batches');
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 3);
      time.nowMs += 60_000;
      assert.equal(await one!.pass(), 2, 'the first is not looked at again');
      assert.deepEqual([provider.requests.length, (await settled()).length], [0, 0]);
      await end();
    });

    test('an upstream that switches protocols unasked holds up nobody: others are asked, and the work ends', async (t) => {
      const { provider, organization, time, platforms: [one, two], begin, settled, end } = await context(() => response({}));
      const hostile = await startScriptedProvider();
      t.after(() => hostile.close());
      hostile.respond({ raw: Buffer.from('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'), ending: 'keep' });
      const its = await newOrganization();
      await store.organizations.set(its, { follow: true });
      await store.upstreams.declare(its, { url: hostile.url, credential: 'secret' });
      await store.upstreams.enable(its);
      for (let work = 1; work <= 5; work += 1) await begin(its, `batch_${work}`, '/upstream/v1/batches');
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 5);
      assert.deepEqual([hostile.requests.length, one!.asked().waiting], [5, 5]);
      await begin(organization);
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 6);
      assert.deepEqual([provider.requests.length, (await settled()).length], [1, 1]);
      await one!.end();
      time.nowMs += 60_000;
      assert.equal(await two!.pass(), 5, 'another platform goes on');
      await store.organizations.set(its, { follow: false });
      await end();
    });

    test('an organization is asked for one piece of work at a time', async () => {
      const { provider, time, platforms: [one], begin, end } = await context(() => response({}));
      let [open, most] = [0, 0];
      provider.respond(async () => {
        most = Math.max(most, open += 1);
        for (let turn = 0; turn < 200; turn += 1) await othersFirst();
        open -= 1;
        return response({ status: 'in_progress', usage: null });
      });
      for (let work = 1; work <= 4; work += 1) await begin(undefined, `resp_${work}`);
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 4);
      assert.deepEqual([provider.requests.length, most], [4, 1]);
      await end();
    });

    test('an object without end is read in turns, and up to a bound', async () => {
      async function* endless(): AsyncIterable<Uint8Array> {
        for (;;) yield Buffer.alloc(1_048_576, ' ');
      }
      const { provider, time, platforms: [one], begin, settled, end } = await context(() => ({ framing: 'close', body: endless() }));
      await begin();
      time.nowMs += 2_000;
      const seen = { turns: 0, isOver: false };
      const others = workFor('others', async () => {
        for (; !seen.isOver; seen.turns += 1) await othersFirst();
      });
      assert.equal(await one!.pass(), 1);
      seen.isOver = true;
      await others;
      assert.deepEqual([(await settled()).length, one!.asked().waiting], [0, 1]);
      assert.ok(seen.turns >= 32, `others had ${seen.turns} turns`);
      assert.ok(provider.bytesWritten < 64 * 1_048_576, `${provider.bytesWritten} bytes`);
      await end();
    });

    test('an object of more values than any has says nothing, and is not parsed', async () => {
      let more: unknown[] = [];
      const { time, platforms: [one], begin, end } = await context(() => response({ status: 'completed', usage: null, more }));
      more = Array.from({ length: 100_000 }, () => ({}));
      await begin(undefined, 'resp_1');
      time.nowMs += 2_000;
      await one!.pass();
      assert.deepEqual([one!.asked().waiting, one!.asked().over], [1, 0]);
      more = [];
      time.nowMs += 600_000;
      await one!.pass();
      assert.deepEqual([one!.asked().waiting, one!.asked().over], [1, 1]);
      await end();
    });

    test('an organization whose provider answers slowly rests ten times as long, so that they do not hold up the passes', async () => {
      let tookMs = 20_000;
      const { provider, time, platforms: [one], begin, end } = await context(() => {
        time.nowMs += tookMs;
        return response({ status: 'in_progress', usage: null });
      });
      for (let work = 1; work <= 3; work += 1) await begin(undefined, `resp_${work}`);
      time.nowMs += 2_000;
      assert.equal(await one!.pass(), 3);
      assert.equal(provider.requests.length, 1);
      time.nowMs += 190_000;
      await one!.pass();
      assert.equal(provider.requests.length, 1);
      tookMs = 0;
      time.nowMs += 20_000;
      await one!.pass();
      assert.equal(provider.requests.length, 4);
      await end();
    });

    test('reads malformed results only once, and results that break off not again within ten minutes', async () => {
      let results: ScriptedAnswer = { body: 'no results\n', cutAt: { byte: 3, by: 'fin' } };
      const batch = { id: 'batch_1', object: 'batch', status: 'completed', output_file_id: 'file-1' };
      const { provider, time, platforms: [one], begin, settled, end, said } = await context((target) => target.endsWith('/content') ? results
        : { headers: [['content-type', 'application/json']], body: JSON.stringify(batch) });
      const downloads = (): number => provider.requests.filter(({ target }) => target.endsWith('/content')).length;
      await begin(undefined, 'batch_1', '/v1/batches');
      for (let seconds = 0; seconds < 500; seconds += 50) {
        time.nowMs += 50_000;
        await one!.pass();
      }
      assert.equal(downloads(), 1);
      results = { body: 'no results\n' };
      time.nowMs += 600_000;
      for (let pass = 0; pass < 3; pass += 1) {
        await one!.pass();
        time.nowMs += 3_600_000;
      }
      assert.deepEqual([downloads(), (await settled()).length, one!.asked().over], [2, 0, 1]);
      const line = /^Asked openai what became of batch_1, which req_\w+ of org_\w+ began: it ended, and what it used is not told\.$/;
      assert.match(said.join('\n'), line);
      await end();
    });
  });
}
