/**
 * `tap(client, tag, options)` from outside: what it returns, throws, prints and sends (spec, Tap client wrapper; rules 27 to 30c).
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createReporter } from './reporting/reporter.ts';
import { eventJson } from './tap-event.ts';
import { runHost } from './test-support/host.ts';
import { answer, startIngestionServer } from './test-support/ingestion-server.ts';
import { seenCall } from './test-support/seen-calls.ts';
import { tap } from './tap.ts';

const server = await startIngestionServer();
after(() => server.close());
const env = { SVC_TAP_KEY: 'CANARY_tap_key', SVC_TAP_ENDPOINT: server.url };

test('an invalid tag throws when the client is wrapped, and is not repeated in the message', () => {
  for (const tag of ['', 'x'.repeat(65), 'two words', 'a/b', 'é', 'a\n', undefined, null, 7, {}]) {
    const named = (error: unknown): boolean => error instanceof TypeError && !error.message.includes('two words');
    assert.throws(() => tap({}, tag as string), named, String(tag));
  }
});

test('the very object comes back, whatever it is, and nothing else throws', () => {
  const frozen = Object.freeze({});
  const throwing = new Proxy({}, {
    get: () => { throw new Error('get'); }, has: () => { throw new Error('has'); },
    getOwnPropertyDescriptor: () => { throw new Error('descriptor'); },
    ownKeys: () => { throw new Error('keys'); }, isExtensible: () => { throw new Error('extensible'); },
  });
  for (const client of [{}, frozen, throwing, () => undefined, null, undefined, 7, 'client', Symbol('client')]) {
    assert.equal(tap(client, 't', { inspect: false, key: 'k', endpoint: 'http://127.0.0.1:9/' }), client);
  }
  const hostileOptions = { get key(): string { throw new Error('key'); } };
  assert.doesNotThrow(() => tap({}, 't', hostileOptions));
});

test('no key: one line for each wrapped client when it is wrapped, and nothing is sent', async () => {
  const script = `const other = { ...client }; tap(client, 'a'); tap(client, 'b'); tap(client, 'c', {}); tap(other, 'a');
    await call(3); console.log(made);`;
  const ended = await runHost(script, { env: { SVC_TAP_ENDPOINT: server.url } });
  const lines = ended.stderr.trimEnd().split('\n');
  assert.equal(lines.length, 2);
  for (const line of lines) assert.match(line, /^metergate-tap: no tap key/);
  assert.deepEqual([ended.code, ended.stdout], [0, '3\n']);
  assert.equal(server.posts.length, 0);
});

test('an unusable endpoint is reported in one line', async () => {
  const settings = { SVC_TAP_KEY: 'k', SVC_TAP_ENDPOINT: 'localhost:8081/tap/v1/events' };
  const ended = await runHost(`tap(client, 'a'); await call(1);`, { env: settings });
  assert.match(ended.stderr, /^metergate-tap: SVC_TAP_ENDPOINT is no plain http or https URL[^\n]*\n$/);
});

test('an event holds the figures of its call; prompts, answers, tool arguments and provider keys are nowhere in a post', async () => {
  const before = server.posts.length;
  await runHost(`client.apiKey = 'CANARY-provider-key'; tap(client, 'unit-1'); await call(1);`, { env });
  const [post] = server.posts.slice(before);
  assert.equal(post!.headers.authorization, 'Bearer CANARY_tap_key');
  const { authorization, ...headers } = post!.headers;
  assert.ok(authorization);
  assert.doesNotMatch(post!.body + JSON.stringify(headers) + post!.path, /CANARY/);
  const { latency_ms, timestamp, ...rest } = post!.events[0]!;
  assert.deepEqual(rest, {
    schema: 'svc-tap-v1', provider: 'other', model: 'model-1', request_id: 'call_1', input_tokens: 3, output_tokens: 4, cached_tokens: 1,
    stop_reason: 'stop', tool_calls: 1, status: 200, retries: 0, rate_limit: null, tag: 'unit-1',
  });
  assert.ok(Number.isInteger(latency_ms));
  assert.ok(Math.abs(Date.parse(String(timestamp)) - Date.now()) < 60_000);
});

test('a second tap on a client changes its tag: each call still gives one event', async () => {
  const before = server.posts.length;
  await runHost(`tap(client, 'first'); await call(1); tap(client, 'second'); tap(client, 'second'); await call(2);`, { env });
  const events = server.posts.slice(before).flatMap((post) => post.events);
  assert.deepEqual(events.map(({ request_id, tag }) => [request_id, tag]), [['call_1', 'first'], ['call_2', 'second'], ['call_3', 'second']]);
});

test('two wrapped clients keep their tags and share their batch', async () => {
  const before = server.posts.length;
  await runHost(`const other = { chat: { completions: { create: client.chat.completions.create } } };
    tap(client, 'one'); tap(other, 'two'); await call(1); await other.chat.completions.create({}); await call(1);`, { env });
  const posts = server.posts.slice(before);
  assert.equal(posts.length, 1);
  assert.deepEqual(posts[0]!.events.map(({ tag }) => tag), ['one', 'two', 'one']);
});

test('options replace the environment', async () => {
  const before = server.posts.length;
  await runHost(`tap(client, 't', { key: 'from-options', endpoint: ${JSON.stringify(server.url)} }); await call(1);`, {
    env: { SVC_TAP_KEY: 'from-environment', SVC_TAP_ENDPOINT: 'http://127.0.0.1:9/' },
  });
  assert.equal(server.posts.slice(before)[0]?.headers.authorization, 'Bearer from-options');
});

test('inspect mode: one notice a process, then each batch as the body that would be posted; nothing is sent, with a key or without', async () => {
  const before = server.posts.length;
  const script = `tap(client, 't'); tap({ chat: { completions: { create: async () => 0 } } }, 't'); await call(2); console.log(made);`;
  const outputs: string[] = [];
  for (const withKey of [false, true]) {
    const ended = await runHost(script, { env: { SVC_TAP_INSPECT: ' On ', SVC_TAP_ENDPOINT: server.url, ...(withKey ? env : {}) } });
    const [notice, batch, ...more] = ended.stderr.trimEnd().split('\n');
    assert.match(notice!, withKey ? /^metergate-tap: inspect mode: .*nothing is sent\..*key/ : /^metergate-tap: inspect mode: .*nothing is sent\.$/);
    assert.deepEqual(more, []);
    const parsed = JSON.parse(batch!) as { events: unknown[] };
    assert.equal(JSON.stringify(parsed), batch, 'compact');
    assert.deepEqual(Object.keys(parsed), ['events']);
    assert.equal(parsed.events.length, 2);
    assert.doesNotMatch(ended.stderr, /CANARY/);
    outputs.push(notice!);
  }
  assert.notEqual(outputs[0], outputs[1]);
  assert.equal(server.posts.length, before);
});

test('an event the server would refuse is neither printed nor sent', async () => {
  const script = `const bad = { chat: { completions: { create: async () => ({ id: 'x', model: 'two words', choices: [], usage: {} }) } } };
    tap(bad, 't'); await bad.chat.completions.create({}); tap(client, 't'); await call(1);`;
  const inspected = await runHost(script, { env: { SVC_TAP_INSPECT: '1' } });
  assert.equal((JSON.parse(inspected.stderr.split('\n')[1]!) as { events: unknown[] }).events.length, 1);
  const before = server.posts.length;
  await runHost(script, { env });
  assert.deepEqual(server.posts.slice(before).map(({ events }) => events.map(({ model }) => model)), [['model-1']]);
});

test('three posts answered 401 print one line and end the posting; two clients of one key share the count', async () => {
  const refusing = await startIngestionServer(answer(401, { error: { code: 'unauthorized', message: 'x' } }));
  try {
    const ended = await runHost(`const other = { ...client }; tap(client, 'a'); tap(other, 'b'); await call(450);`, {
      env: { ...env, SVC_TAP_ENDPOINT: refusing.url },
    });
    assert.equal(refusing.posts.length, 3);
    assert.match(ended.stderr, /^metergate-tap: the tap key was not accepted three times[^\n]*\n$/);
  } finally {
    refusing.close();
  }
});

/** An event that left an object behind would be found; with TAP_CALLS a million, four bytes. */
const many = Number(process.env['TAP_CALLS'] ?? 250_000);

test(`${many} events with the server away: memory stays within 8 MiB of what it was`, () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const waiting = new Set<() => void>();
  const ground = {
    monotonicMs: () => 0, after: (_delayMs: number, run: () => void) => { waiting.add(run); return () => waiting.delete(run); },
    print: () => undefined, waiting: () => undefined, postBlocking: () => undefined,
    post: () => new Promise<never>(() => undefined),
  };
  const reporter = createReporter(ground);
  const fill = (count: number): void => {
    for (let at = 0; at < count; at += 1) {
      const json = eventJson({ ...seenCall, request_id: `response_${at}` }, { tag: 'a-tag-of-some-length', nowMs: Date.now(), uuid: () => 'x' });
      reporter.add(json!);
      if (at % 1_000 === 0) for (const run of waiting) run();
    }
  };
  fill(1_000);
  collect();
  const before = process.memoryUsage().heapUsed;
  fill(many);
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 8 * 1_024 * 1_024, `${grown} bytes`);
  assert.ok(grown > 1_024 * 1_024, `the queue is full: ${grown} bytes`);
});

test('a hundred thousand calls of a host with the server away: every result is there, memory stays within 8 MiB, nothing is printed', async () => {
  const script = `import v8 from 'node:v8'; import vm from 'node:vm';
    v8.setFlagsFromString('--expose-gc'); const gc = vm.runInNewContext('gc');
    tap(client, 'a-tag-of-some-length'); await call(1000); gc(); const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < 100; at += 1) { await call(1000); await later(1); }
    gc(); console.log(made, process.memoryUsage().heapUsed - before); process.exit(0);`;
  const ended = await runHost(script, { env: { SVC_TAP_KEY: 'k', SVC_TAP_ENDPOINT: 'http://127.0.0.1:9/' }, inRealTime: true });
  const [made, grown] = ended.stdout.trim().split(' ').map(Number);
  assert.equal(made, 101_000);
  assert.ok(grown! < 8 * 1_024 * 1_024, `${grown} bytes`);
  assert.equal(ended.stderr, '');
});
