/**
 * From outside on a socket: the tap endpoint's order of refusals, its bytes, its bound on bodies however they are sent; nothing
 * of a refused batch is stored, logged or echoed, and nothing is accepted after a key's end. Spec: Tap ingestion,
 * Tap ingestion errors; rules 30 and 30a.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { dayLengthMs, dayOf } from '@metergate/core/time/utc-day.ts';
import { batchBody, sampleNowMs, sentEvent } from '@metergate/core/tap/test-support/sample-event.ts';
import { RawConnection, rawCall, type RawAnswer, type RawCall } from '@metergate/testkit/raw-client.ts';
import { jsonInputs } from '@metergate/testkit/written-inputs.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { retireBaseline, rotateTapKey, showBaseline } from '../use-cases/baselines.ts';
import { isRefusal } from '../use-cases/refusal.ts';
import { tapFixture, type TapFixture } from '../test-support/tap-fixture.ts';

let tap: TapFixture;
let key: string;
before(async () => {
  tap = await tapFixture();
  ({ key } = await tap.baseline());
});
after(() => tap.end());

const target = '/tap/v1/events';
const bodyMax = 262_144;
const json = ['Content-Type', 'application/json'] as const;

function call(given: Omit<RawCall, 'target' | 'headers'> & { readonly key?: string; readonly headers?: RawCall['headers'] }): RawCall {
  const { key: withKey = key, headers = [json], ...rest } = given;
  return { target, ...rest, headers: [['Authorization', `Bearer ${withKey}`], ...headers] };
}
const post = (given: Parameters<typeof call>[0]): Promise<RawAnswer> => rawCall(tap.url, call(given));
const said = ({ status, body }: RawAnswer): [number, string] => {
  const value = JSON.parse(Buffer.from(body).toString()) as { error?: { code: string }; accepted?: number };
  return [status, value.error?.code ?? `accepted ${value.accepted}`];
};
/** A batch of exactly that many bytes: white space is part of a body. */
const sized = (bytes: number, requestId: string): Buffer => {
  const body = Buffer.from(batchBody([sentEvent({ request_id: requestId })]));
  return Buffer.concat([body, Buffer.alloc(bytes - body.length, ' ')]);
};
const head = (withKey: string, headers: readonly string[]): string =>
  [`POST ${target} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${withKey}`, 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
const unauthorizedBody = '{"error":{"code":"unauthorized","message":"The tap key was missing or not recognized."}}';

test('a batch is taken with 202 and the number of events that are new', async () => {
  const batch = batchBody([sentEvent({ request_id: 'a' }), sentEvent({ request_id: 'b' }), sentEvent({ request_id: 'a' })]);
  const first = await post({ body: batch });
  assert.deepEqual([first.status, Buffer.from(first.body).toString()], [202, '{"accepted":2}']);
  assert.deepEqual(said(await post({ body: batch })), [202, 'accepted 0']);
});

test('every 401 has the same bytes and headers, and takes the same path', async () => {
  const { key: rotated, id } = await tap.baseline();
  await rotateTapKey(tap.context(), { id, organization: null });
  const withHeaders = (headers: RawCall['headers']) => rawCall(tap.url, { target, headers: [json, ...headers!], body: batchBody([sentEvent()]) });
  const answers = [
    await withHeaders([]), await withHeaders([['Authorization', '']]), await withHeaders([['Authorization', 'Bearer']]),
    await withHeaders([['Authorization', `Basic ${key}`]]), await withHeaders([['Authorization', key]]), await withHeaders([['X-Api-Key', key]]),
    await withHeaders([['Cookie', 'metergate_session=x']]), await post({ key: rotated }), await post({ key: `${key}0` }),
    await post({ key: key.toUpperCase() }), await post({ key: key.slice(0, -1) }), await post({ key: 'x'.repeat(10_000) }),
    await post({ key: `svc_live_${'a'.repeat(43)}` }), await post({ key: `\xff${key}` }),
  ];
  const comparable = ({ startLine, headers, body }: RawAnswer) =>
    [startLine, headers.filter(([name]) => name.toLowerCase() !== 'date'), Buffer.from(body).toString()];
  for (const answer of answers) assert.deepEqual(comparable(answer), comparable(answers[0]!));
  assert.deepEqual([answers[0]!.status, Buffer.from(answers[0]!.body).toString()], [401, unauthorizedBody]);
});

test('refusals come in the order 401, 413, 410, 415, 400', async () => {
  const closed = await tap.baseline();
  await retireBaseline(tap.context(), { id: closed.id, organization: null });
  const large = Buffer.alloc(bodyMax + 1, '{');
  const squeezed = [json, ['Content-Encoding', 'gzip']] as const;
  for (const [wanted, given] of [
    ['401 unauthorized', { key: 'nobody', body: large, headers: squeezed }],
    ['413 tap_too_large', { key: closed.key, body: large, headers: squeezed }],
    ['410 tap_retired', { key: closed.key, body: Buffer.from('{'), headers: squeezed }],
    ['415 unsupported_media_type', { body: Buffer.from('{'), headers: squeezed }],
    ['400 tap_invalid', { body: Buffer.from('{') }],
  ] as const) assert.equal(said(await post(given)).join(' '), wanted);
});

test('a body of 262,144 bytes is read, one byte more is not, with a length or chunked', async () => {
  const rows = tap.eventRows();
  const chunksOf = (body: Buffer, size: number) =>
    Array.from({ length: Math.ceil(body.length / size) }, (_, at) => body.subarray(at * size, (at + 1) * size));
  assert.deepEqual(said(await post({ body: sized(bodyMax, 'at-length') })), [202, 'accepted 1']);
  assert.deepEqual(said(await post({ chunks: chunksOf(sized(bodyMax, 'at-chunked'), 10_000) })), [202, 'accepted 1']);
  for (const over of [bodyMax + 1, 3 * bodyMax, 2_000_000]) {
    assert.deepEqual(said(await post({ body: sized(over, 'over-length') })), [413, 'tap_too_large'], `${over}`);
    assert.deepEqual(said(await post({ chunks: chunksOf(sized(over, 'over-chunked'), 60_000) })), [413, 'tap_too_large'], `${over}`);
  }
  assert.equal(tap.eventRows(), rows + 2);
});

test('a body without end is answered 413 while it is still being sent, and the connection ends', async () => {
  const connection = await RawConnection.open(tap.url);
  connection.send(head(key, ['Transfer-Encoding: chunked']));
  const answer = connection.nextAnswer();
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, ' '), Buffer.from('\r\n')]);
  for (let sent = 0; sent < 6; sent++) connection.send(chunk); // past the bound, and then nothing more
  assert.equal((await answer).status, 413);
  connection.halfClose(); // the server has ended its side; this ends the other
  await connection.ended;
});

test('a client that leaves in the middle stores nothing and breaks nothing', async () => {
  const rows = tap.eventRows();
  const connection = await RawConnection.open(tap.url);
  const body = batchBody([sentEvent({ request_id: 'left' })]);
  connection.send(head(key, [`Content-Length: ${body.length}`]));
  connection.send(body.subarray(0, body.length - 1));
  connection.abort();
  await connection.ended;
  assert.deepEqual(said(await post({ body: batchBody([sentEvent({ request_id: 'after' })]) })), [202, 'accepted 1']);
  assert.equal(tap.eventRows(), rows + 1);
});

test('any JSON media type is taken, anything else and every compressed body is 415', async () => {
  const body = batchBody([sentEvent()]);
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.tap+json', 'text/json']) {
    assert.equal((await post({ body, headers: [['Content-Type', type]] })).status, 202, type);
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'multipart/form-data; boundary=application/json', '']) {
    assert.deepEqual(said(await post({ body, headers: [['Content-Type', type]] })), [415, 'unsupported_media_type'], type);
  }
  for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'x']) {
    const packed = await post({ body: gzipSync(body), headers: [json, ['Content-Encoding', coding]] });
    assert.deepEqual(said(packed), [415, 'unsupported_media_type'], coding);
  }
  assert.equal((await post({ body, headers: [json, ['Content-Encoding', 'identity']] })).status, 202);
});

test('only POST is answered there, only there, and the way is open for the next request on the connection', async () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const answer = await rawCall(tap.url, { method, target, headers: [['Authorization', `Bearer ${key}`]] });
    assert.equal(answer.status, 405, method);
  }
  assert.equal((await rawCall(tap.url, { target: '/tap/v1/events/', body: '{}' })).status, 404);
  assert.equal((await rawCall(tap.url, { target: '/tap/v1/eventsx', body: '{}' })).status, 404);
  const connection = await RawConnection.open(tap.url);
  for (const [wanted, given] of [
    [401, { key: 'nobody', body: sized(200_000, 'x') }], [400, { body: Buffer.from('[]') }], [415, { body: Buffer.from('x'), headers: [] }],
    [202, { body: batchBody([sentEvent()]) }],
  ] as const) assert.equal((await connection.call(call(given))).status, wanted);
  await connection.close();
});

test('public JSON inputs as bodies: never stored, never a 5xx, never echoed', async () => {
  const rows = tap.eventRows();
  const connection = await RawConnection.open(tap.url);
  for (const { name, bytes } of jsonInputs()) {
    const answer = await connection.call(call({ body: bytes }));
    assert.deepEqual(said(answer), [400, 'tap_invalid'], name);
    const sentence = /^\{"error":\{"code":"tap_invalid","message":"(?:\$|events) (?:is|has) [a-zA-Z ]+\."\}\}$/;
    assert.match(Buffer.from(answer.body).toString(), sentence, name);
  }
  await connection.close();
  assert.equal(tap.eventRows(), rows);
  assert.deepEqual(tap.faults, []);
});

test('a batch of 499 valid events and an invalid one stores nothing, and nothing of it is in any file or fault', async () => {
  const rows = tap.eventRows();
  const canary = 'canary-7f3a9c';
  const right = Array.from({ length: 499 }, (_, index) => sentEvent({ request_id: `${canary}-${index}`, tag: canary }));
  const answer = await post({ body: batchBody([...right, sentEvent({ request_id: `${canary}-last`, model: `${canary} ` })]) });
  const body = Buffer.from(answer.body).toString();
  assert.equal(body, '{"error":{"code":"tap_invalid","message":"events[499].model has a character outside its published set."}}');
  assert.equal(tap.eventRows(), rows);
  assert.ok(!tap.bytesOnDisk().includes(canary));
  assert.deepEqual(tap.faults, []);
});

test('naughty strings are taken if they are in the set, and otherwise refused without repeating them', async () => {
  const connection = await RawConnection.open(tap.url);
  let takenCount = 0;
  for (const [index, text] of naughtyStrings().entries()) {
    const answer = await connection.call(call({ body: batchBody([sentEvent({ request_id: `n${index}`, tag: text })]) }));
    const fits = /^[A-Za-z0-9._:-]{1,64}$/.test(text);
    takenCount += fits ? 1 : 0;
    assert.equal(answer.status, fits ? 202 : 400, JSON.stringify(text));
    const body = Buffer.from(answer.body).toString();
    const reason = '(?:is outside its published range|has a character outside its published set)';
    if (!fits) assert.match(body, new RegExp(`^\\{"error":\\{"code":"tap_invalid","message":"events\\[0\\]\\.tag ${reason}\\."\\}\\}$`));
  }
  await connection.close();
  assert.ok(takenCount > 0);
  assert.deepEqual(tap.faults, []);
});

test('a key that is rotated while its request is under way stores nothing: the body that ends after the rotation is 401', async () => {
  const made = await tap.baseline();
  const rows = tap.eventRows();
  const body = batchBody([sentEvent({ request_id: 'under-way' })]);
  const connection = await RawConnection.open(tap.url);
  const answer = connection.nextAnswer();
  connection.send(head(made.key, [`Content-Length: ${body.length}`, 'Expect: 100-continue']));
  // The 100 shows that the request is being answered; a question to the store behind it shows that the key was admitted.
  await eventually(() => connection.answers.length > 0);
  await tap.store.tapEvents.admission('0'.repeat(64));
  await rotateTapKey(tap.context(), { id: made.id, organization: null });
  connection.send(body);
  assert.equal(Buffer.from((await answer).body).toString(), unauthorizedBody);
  await connection.close();
  assert.equal(tap.eventRows(), rows);
});

test('the Baseline closes at midnight after seven days: 410, in its sentence, and nothing stored; a plan opens it again', async () => {
  const made = await tap.baseline();
  tap.now.ms = sampleNowMs + dayLengthMs;
  const sent = (requestId: string) => batchBody([sentEvent({ request_id: requestId, timestamp: new Date(tap.now.ms).toISOString() })]);
  try {
    assert.equal((await post({ key: made.key, body: sent('first') })).status, 202);
    tap.now.ms = dayOf(tap.now.ms) + 7 * dayLengthMs;
    const closed = await post({ key: made.key, body: sent('late') });
    assert.deepEqual([closed.status, Buffer.from(closed.body).toString()],
      [410, '{"error":{"code":"baseline_closed","message":"This Baseline has closed. Start a plan to keep reporting."}}']);
    await tap.store.organizations.set(made.organization, { plan: 'developer' });
    assert.deepEqual(said(await post({ key: made.key, body: sent('paid') })), [202, 'accepted 1']);
    const shown = await showBaseline(tap.context(), { id: made.id, organization: made.organization });
    assert.ok(!isRefusal(shown));
    const { report, ...standing } = shown;
    assert.deepEqual([standing.state, standing.readmitted, standing.firstDay, standing.closesAt], ['reporting', true, '2026-03-05', null]);
    assert.deepEqual([report.from, report.to, report.total.calls.value, report.outside!.calls.value], ['2026-03-05', '2026-03-12', 1, 1]);
    assert.deepEqual(report.total.cost, { value: '0.004500000', label: 'modeled' });
  } finally {
    tap.now.ms = sampleNowMs;
  }
});

test('the same batch at the same instant over many connections is counted once in all', async () => {
  const made = await tap.baseline();
  const body = batchBody(Array.from({ length: 50 }, (_, index) => sentEvent({ request_id: `same-${index}` })));
  const answers = await Promise.all(Array.from({ length: 20 }, () => post({ key: made.key, body })));
  const accepted = answers.map((answer) => Number(said(answer)[1].split(' ')[1]));
  assert.equal(accepted.reduce((sum, each) => sum + each, 0), 50);
});

test('a store that cannot answer is 503, which clients retry, and the fault says nothing of the batch', async () => {
  const away = await tapFixture();
  const made = await away.baseline();
  await away.store.close();
  const answer = await rawCall(away.url, call({ key: made.key, body: batchBody([sentEvent({ tag: 'canary' })]) }));
  assert.deepEqual(said(answer), [503, 'unavailable']);
  assert.equal(away.faults.length, 1);
  assert.doesNotMatch(String((away.faults[0] as Error).stack) + String((away.faults[0] as Error).cause), /canary|svc_tap_/);
  await away.end().catch(() => {});
});

test('202 is sent once the disk has the batch; meanwhile others store theirs', async () => {
  const disk = Promise.withResolvers<void>();
  const both = Promise.withResolvers<void>();
  const waiting: Promise<void>[] = [];
  const forced = (): Promise<void> => {
    if (waiting.push(disk.promise) === 2) both.resolve();
    return disk.promise;
  };
  const slow = await tapFixture((store) => ({ engine: store.engine, tapEvents: { ...store.tapEvents, forced } }));
  const [one, other] = [await slow.baseline(), await slow.baseline()];
  const posts = [one, other].map((made) => rawCall(slow.url, call({ key: made.key, body: batchBody([sentEvent()]) })));
  await both.promise;
  assert.equal(slow.eventRows(), 2);
  disk.reject(new Error('no room'));
  assert.deepEqual((await Promise.all(posts)).map(said), [[503, 'unavailable'], [503, 'unavailable']]);
  await slow.end();
});

function naughtyStrings(): string[] {
  const file = new URL('../../../../../shared/inputs/naughty-strings.json', import.meta.url);
  const own = ['undefined', '', '__proto__', '<script>alert(1)</script>', '\u202etest', "' or 1=1--", '\u0000', '../../etc/passwd'];
  return existsSync(file) ? [...own, ...(JSON.parse(readFileSync(file, 'utf8')) as string[])] : own;
}

test('a key that floods is answered 429 with Retry-After, nothing of it is stored, and another key is not held up', async () => {
  const [{ key: flooding }, { key: calm }] = [await tap.baseline(), await tap.baseline()];
  const before = tap.eventRows();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const statusOf = (withKey: string, body: string | Uint8Array) => new Promise<[number, string | undefined]>((resolve, reject) => {
    const sent = request(`${tap.url}${target}`, {
      method: 'POST', agent, headers: { authorization: `Bearer ${withKey}`, 'content-type': 'application/json' },
    }, (response) => response.resume().on('end', () => resolve([response.statusCode!, response.headers['retry-after']])));
    sent.on('error', reject).end(body);
  });
  const burst = Array.from({ length: 3_000 }, () => statusOf(flooding, '{}'));
  assert.ok((await Promise.all(burst)).every(([status]) => status === 400), 'the burst is read');
  const next = await statusOf(flooding, batchBody([sentEvent({ request_id: 'flood' })]));
  assert.deepEqual(next, [429, '1']);
  assert.deepEqual(await statusOf(calm, batchBody([sentEvent({ request_id: 'calm' })])), [202, undefined]);
  assert.equal(tap.eventRows(), before + 1);
  agent.destroy();
});
