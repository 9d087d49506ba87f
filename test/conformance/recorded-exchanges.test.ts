/**
 * Every recorded exchange through the running gateway (spec: What the service does 4; Usage fields): the caller receives the recorded
 * bytes, the record holds what the provider reported. Whole, in random pieces, byte by byte if small, and compressed in each coding.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDollars, parseDollars } from '@metergate/core/money.ts';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import { codings, compress, type Coding } from '@metergate/testkit/coding.ts';
import { corpusOrFixtures, fixtures, readWires, type ReadWire } from '@metergate/testkit/corpus.ts';
import type { Exchange } from '@metergate/testkit/exchange.ts';
import { headerValue, type HeaderPair } from '@metergate/testkit/http-message.ts';
import { RawConnection } from '@metergate/testkit/raw-client.ts';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { bearer, requestIdOf, serviceForFile, without } from '../running-product.ts';

/** How the provider sends one exchange. */
interface Way {
  readonly name: string;
  readonly coding: Coding | null;
  readonly cuts: 'none' | 'random' | 'every';
}

const ways: readonly Way[] = [
  { name: 'whole', coding: null, cuts: 'none' }, { name: 'cut', coding: null, cuts: 'random' },
  ...codings.map((coding, at) => ({ name: coding, coding, cuts: at % 2 === 0 ? 'none' as const : 'random' as const })),
];
const byteByByte: Way = { name: 'byte by byte', coding: null, cuts: 'every' };
/** Bodies up to this size are also sent a byte at a time. */
const smallBytesMax = 1_300;
const connectionsAtOnce = 8;

const service = serviceForFile({}, async ({ system }) => {
  await system.declareUpstream();
  for (const provider of [system.openai, system.anthropic, system.upstream]) {
    provider.respond((request: ReceivedRequest) => scriptFor(jobs[Number(headerValue(request.headers, exchangeHeader))]));
  }
});

interface Job {
  readonly exchange: Exchange;
  readonly way: Way;
  /** The body as the provider sends it. */
  readonly sent: Uint8Array;
}

interface Done extends Job {
  readonly id: string;
}

const jobs: Job[] = [];
const exchangeHeader = 'x-testkit-job';

function scriptFor(job: Job | undefined): ScriptedAnswer {
  if (job === undefined) return { status: 500, body: 'no such job' };
  const { status, headers } = job.exchange.response;
  const own = without(headers, ['content-length', 'transfer-encoding', 'connection']);
  const framing = job.exchange.streamed ? 'chunked' : 'length';
  return { status, headers: [...own, ...codingHeader(job.way)], body: job.sent, framing, cuts: cutsOf(job.sent.length, job) };
}

function codingHeader({ coding }: Way): HeaderPair[] {
  return coding === null ? [] : [['content-encoding', coding]];
}

/** Each body is compressed once in each coding: Brotli at its best quality, the default, takes longer than the tests themselves. */
function jobsOf(exchange: Exchange, ways: readonly Way[]): Job[] {
  const { body } = exchange.response;
  return ways.map((way) => ({ exchange, way, sent: way.coding === null ? body : compress(body, way.coding) }));
}

/** Positions that are the same in every run: a small generator seeded by the exchange's size. */
function cutsOf(length: number, job: Job): readonly number[] | 'every' {
  if (job.way.cuts === 'every') return 'every';
  if (job.way.cuts === 'none') return [];
  let seed = length * 2_654_435_761 % 4_294_967_296;
  const cuts = Array.from({ length: 7 }, () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return seed % Math.max(1, length);
  });
  return cuts.sort((left, right) => left - right);
}

function targetOf(exchange: Exchange): string {
  return exchange.wire === 'compatible-chat' ? '/upstream/v1/chat/completions' : exchange.request.path;
}

async function play(wire: ReadWire, each: readonly Job[]): Promise<Done[]> {
  const from = jobs.length;
  jobs.push(...each);
  const done: Done[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    const connection = await RawConnection.open(service.system.gatewayUrl);
    while (next < each.length) {
      const at = next++;
      const job = each[at];
      if (job === undefined) break;
      const title = `${wire}/${job.exchange.name} ${job.way.name}`;
      const own = without(job.exchange.request.headers, ['host', 'content-length', 'authorization', 'x-api-key', 'connection']);
      const answer = await connection.call({
        method: job.exchange.request.method, target: targetOf(job.exchange), body: job.exchange.request.body,
        headers: [...own, bearer(service.key), [exchangeHeader, String(from + at)]],
      });
      const { response } = job.exchange;
      assert.equal(answer.status, response.status, title);
      assert.ok(answer.body.equals(job.sent), `${title}: bytes`);
      const framing = ['content-length', 'transfer-encoding', 'connection', 'keep-alive'];
      const sent = without([...response.headers, ...codingHeader(job.way)], framing);
      assert.deepEqual(without(answer.headers, [...framing, 'x-svc-request-id']), sent, title);
      done.push({ ...job, id: requestIdOf(answer) });
    }
    await connection.close();
  };
  await Promise.all(Array.from({ length: connectionsAtOnce }, worker));
  return done;
}

function assertRecord(record: CallRecordJson | undefined, { exchange, way }: Done): void {
  const { expected } = exchange;
  const title = `${exchange.wire}/${exchange.name} ${way.name}`;
  assert.ok(record !== undefined, title);
  const whole = exchange.response.status < 300;
  const reported = expected.input !== null;
  const seen = {
    model: record.model, finish: record.finishReason, input: record.inputTokens, output: record.outputTokens, cached: record.cachedTokens,
    cacheWrite: record.cacheWriteTokens, reasoning: record.reasoningTokens, usage: record.usage, outcome: record.outcome,
    streamed: record.streamed, status: record.status, usageReason: record.usageReason,
  };
  const { cost, ...figures } = expected;
  const usage = !whole ? 'none' : reported ? 'reported' : 'unknown';
  const { status } = exchange.response;
  const usageReason = usage === 'unknown' ? 'absent' : null;
  assert.deepEqual(seen, { ...figures, usage, usageReason, outcome: 'completed', streamed: exchange.streamed, status }, title);
  if (usage !== 'reported') assert.equal(record.cost, null, title);
  if (cost !== null) {
    const nano = parseDollars(String(cost));
    assert.ok(nano !== null);
    assert.deepEqual([record.cost, record.costSource], [formatDollars(nano), 'upstream'], title);
  }
  assert.equal(record.label, 'measured', title);
}

/** Compares each call's record with what was reported; returns those whose compressed copy was not read in time. */
async function assertRecords(done: readonly Done[]): Promise<Job[]> {
  const records = await service.system.callsById(done.map(({ id }) => id));
  const isLate = ({ id, way }: Done): boolean => way.coding !== null && records.get(id)?.usageReason === 'decode_late';
  for (const each of done.filter((call) => !isLate(call))) assertRecord(records.get(each.id), each);
  return done.filter(isLate).map(({ exchange, way, sent }) => ({ exchange, way, sent }));
}

for (const wire of readWires) {
  test(`${wire}: the caller's bytes equal the recorded bytes and the record equals what was reported`, { timeout: 300_000 }, async () => {
    const own = fixtures().filter((exchange) => exchange.wire === wire);
    const all = [...new Map([...own, ...corpusOrFixtures(wire)].map((exchange) => [exchange.name, exchange])).values()];
    const small = all.filter((exchange) => exchange.response.body.length <= smallBytesMax).slice(0, 12);
    const done = await play(wire, [
      ...all.flatMap((exchange) => jobsOf(exchange, ways)),
      ...small.flatMap((exchange) => jobsOf(exchange, [byteByByte])),
    ]);
    const late = await assertRecords(done);
    // If the machine stalls, a compressed copy may be read too late; the record rightly says so, but that proves little, so try again.
    const again = await assertRecords(await play(wire, late));
    assert.deepEqual(await assertRecords(await play(wire, again)), []);
  });
}

test('Streaming rule: the provider receives each chat body as sent, except for stream_options added at the front if the rule asks', () => {
  for (const request of service.system.openai.requests.filter(({ target }) => target.startsWith('/v1/chat/completions'))) {
    const job = jobs[Number(headerValue(request.headers, exchangeHeader))];
    const sent = job?.exchange.request.body ?? Buffer.alloc(0);
    const parsed = JSON.parse(sent.toString('utf8')) as Record<string, unknown>;
    if (parsed['stream'] === true && !('stream_options' in parsed)) {
      const [first] = Object.entries(JSON.parse(request.body.toString('utf8')) as Record<string, unknown>);
      assert.deepEqual(first, ['stream_options', { include_usage: true }]);
      const rest = sent.subarray(sent.indexOf('{') + 1);
      assert.ok(request.body.subarray(-rest.length).equals(rest), job?.exchange.name ?? '');
    } else {
      assert.ok(request.body.equals(sent), job?.exchange.name ?? '');
    }
  }
});

test('every other body reaches its provider as sent', () => {
  const { openai, anthropic, upstream } = service.system;
  const others = [...anthropic.requests, ...upstream.requests, ...openai.requests.filter(({ target }) => !target.startsWith('/v1/chat/'))];
  for (const request of others) {
    const job = jobs[Number(headerValue(request.headers, exchangeHeader))];
    assert.ok(request.body.equals(job?.exchange.request.body ?? Buffer.alloc(0)), job?.exchange.name ?? '');
  }
  assert.equal(others.length + openai.requests.filter(({ target }) => target.startsWith('/v1/chat/')).length, jobs.length);
});
