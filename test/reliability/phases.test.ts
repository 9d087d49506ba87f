/**
 * Every phase in which a provider can fail or a caller can leave, on each wire, streamed and not: what the
 * caller sees, what is recorded, and that no socket and no descriptor is left behind.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, requestBytes, type RawAnswer, type RawConnection } from '@metergate/testkit/raw-client.ts';
import { gate, type Script, type ScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { serviceForFile } from '../running-product.ts';
import { assertEnvelope, inTime, named, recordsOf } from '../hostile/aftermath.ts';
import { answerHeaders, answerPieces, bodyOf, connectionOf, heldBack, kinds, upstreamKinds, type Kind } from './metered-load.ts';

const service = serviceForFile({}, ({ system }) => system.declareUpstream());
const allKinds = [...kinds, ...upstreamKinds];
let lastNumber = 0;

function providerOf({ wire }: Kind): ScriptedProvider {
  return service.system[wire];
}

function facts(record: CallRecordJson | undefined): unknown[] {
  return [record?.outcome, record?.status, record?.usage, record?.usageReason, record?.inputTokens];
}

/** A whole call, and its number. */
async function call(kind: Kind, script: (number: number) => Script): Promise<{ number: number; answer: RawAnswer; project: string }> {
  const number = ++lastNumber;
  const project = `phase-${number}`;
  providerOf(kind).respond(script(number));
  const answer = await rawCall(service.system.gatewayUrl, { target: kind.target, headers: named(service, project), body: bodyOf(kind, number) });
  return { number, answer, project };
}

/** The product's file descriptors and the providers' connections; null if the system does not report descriptors. */
function held(): { descriptors: number | null; connections: number } {
  const { pid, openai, anthropic, upstream } = service.system;
  const descriptors = process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : null;
  return { descriptors, connections: openai.openConnections + anthropic.openConnections + upstream.openConnections };
}

/** Runs `attacks`; afterwards everything must be as it was after one good call of each kind. */
async function leavingNothing(attacks: () => Promise<void>): Promise<void> {
  const sound = async (): Promise<void> => {
    for (const kind of allKinds) {
      const { answer } = await call(kind, (number) => ({ headers: answerHeaders(kind), body: answerPieces(kind, number) }));
      assert.deepEqual([answer.status, answer.whole], [200, true]);
    }
  };
  await sound();
  const before = held();
  await attacks();
  await sound();
  await eventually(() => held().connections <= before.connections, 'the providers are let go');
  await eventually(() => (held().descriptors ?? 0) <= (before.descriptors ?? 0), `descriptors are back at ${before.descriptors}`);
}

/** Head and pieces of an answer as raw text, chunked, so that it can end anywhere. */
function rawAnswer(kind: Kind, pieces: readonly string[]): string {
  const headers = [...answerHeaders(kind), ['Transfer-Encoding', 'chunked']].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 200 OK\r\n${headers}\r\n${pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`).join('')}`;
}

const endings = ['fin', 'rst'] as const;

test('a provider that ends before its head: 502 on every wire, one request, one record: failed, nothing due (V1, V13)', async () => {
  await leavingNothing(async () => {
    const projects: string[] = [];
    for (const kind of allKinds) {
      for (const ending of endings) {
        const heard = providerOf(kind).requests.length;
        const { answer, project } = await call(kind, () => ({ raw: Buffer.from(''), ending }));
        assertEnvelope(answer, 502, 'upstream_unreachable');
        assert.equal(providerOf(kind).requests.length, heard + 1, 'nothing is retried');
        projects.push(project);
      }
    }
    for (const record of await recordsOf(service, projects)) assert.deepEqual(facts(record), ['failed', null, 'none', null, null]);
  });
});

test('a provider that ends after its head, or within its body: a cut prefix, and a record with what was reported (V3, V4, V6)', async () => {
  await leavingNothing(async () => {
    const expected = new Map<string, unknown[]>();
    for (const kind of allKinds) {
      for (const ending of endings) {
        const count = answerPieces(kind, 1).length;
        for (let kept = 0; kept <= count; kept += 1) {
          // All but one byte of the last piece: the end of the dialogue never comes.
          const cutPieces = (number: number): string[] =>
            answerPieces(kind, number).slice(0, kept).map((piece, at) => (at === count - 1 ? piece.slice(0, kind.streamed ? -2 : -1) : piece));
          const turned = new Promise((resolve) => setImmediate(resolve));
          const { answer, number, project } = await call(kind, (number) => ({ raw: [rawAnswer(kind, cutPieces(number)), turned], ending }));
          assert.deepEqual([answer.status, answer.whole], [200, false], `${kind.name}, ${kept} pieces, ${ending}`);
          // Bytes that a reset overtakes are lost on the provider's side already; those that arrive are always what was sent.
          const sent = cutPieces(number).join('');
          assert.ok(sent.startsWith(answer.body.toString()));
          if (ending === 'fin') assert.equal(answer.body.toString(), sent);
          if (ending === 'fin') expected.set(project, ['cut', 200, ...usageAfter(kind, kept, number)]);
        }
      }
    }
    for (const record of await recordsOf(service, [...expected.keys()])) {
      assert.deepEqual(facts(record), expected.get(record.project ?? ''), JSON.stringify(record));
    }
  });
});

/** What had been reported when an answer was cut after that many pieces: usage that came before the cut counts. */
function usageAfter(kind: Kind, pieces: number, number: number): unknown[] {
  if (!kind.streamed) return pieces === 0 ? ['unknown', 'cut', null] : ['reported', null, number];
  if (kind.wire === 'anthropic') {
    if (pieces === 0) return ['unknown', 'cut', null];
    return pieces < 3 ? ['partial', 'cut', number] : ['reported', null, number];
  }
  return pieces < 2 ? ['unknown', 'cut', null] : ['reported', null, number];
}

test('a provider that resets after its last byte, stalls in the middle, or refuses: caller and record have everything (V7, V8, V11)', async () => {
  await leavingNothing(async () => {
    const expected = new Map<string, unknown[]>();
    for (const kind of allKinds) {
      const reset = await call(kind, (number) => ({ raw: Buffer.from(`${rawAnswer(kind, answerPieces(kind, number))}0\r\n\r\n`), ending: 'rst' }));
      const stalled = await call(kind, (number) => {
        const pieces = answerPieces(kind, number).flatMap((piece) => [piece.slice(0, 9), piece.slice(9)]);
        return { headers: answerHeaders(kind), body: heldBack(pieces, knock()) };
      });
      for (const { answer, number, project } of [reset, stalled]) {
        assert.deepEqual([answer.status, answer.whole, answer.body.toString()], [200, true, answerPieces(kind, number).join('')]);
        expected.set(project, ['completed', 200, 'reported', null, number]);
      }
      const body = '{"error":{"message":"slow down"}}';
      const refusal: HeaderPair[] = [['content-type', 'application/json'], ['Retry-After', '7']];
      const refused = await call(kind, () => ({ status: 429, reason: 'Too Many', headers: refusal, body }));
      assert.deepEqual([refused.answer.status, refused.answer.body.toString()], [429, body]);
      assert.deepEqual(refused.answer.headers.filter(([name]) => name === 'Retry-After'), [['Retry-After', '7']]);
      expected.set(refused.project, ['completed', 429, 'none', null, null]);
    }
    for (const record of await recordsOf(service, [...expected.keys()])) assert.deepEqual(facts(record), expected.get(record.project ?? ''));
  });
});

/** A round trip to the gateway and back without a record: after it, the gateway has seen everything that reached it before. */
async function knock(): Promise<void> {
  for (let time = 0; time < 2; time += 1) assert.equal((await rawCall(service.system.gatewayUrl, { method: 'GET', target: '/nowhere' })).status, 404);
}

/** Waits until the product says that no call is under way. */
async function noneInFlight(): Promise<void> {
  await eventually(async () => /^metergate_calls_in_flight 0$/m.test(await (await fetch(`${service.system.opsUrl}/metrics`)).text()),
    () => 'calls are under way for ever');
}

/** A call whose answer waits at a gate: before its head, or before its last piece. */
async function waitingCall(kind: Kind, at: 'head' | 'middle'): Promise<{
  connection: RawConnection; number: number; project: string; open: () => void;
}> {
  const number = ++lastNumber;
  const project = `phase-${number}`;
  const { opened, open } = gate();
  const pieces = kind.streamed ? answerPieces(kind, number) : answerPieces(kind, number).flatMap((piece) => [piece.slice(0, 9), piece.slice(9)]);
  const provider = providerOf(kind);
  provider.respond(async () => {
    if (at === 'head') await opened;
    return { headers: answerHeaders(kind), body: at === 'head' ? pieces : heldBack(pieces, opened) };
  });
  const heard = provider.nextRequest();
  const connection = await connectionOf(service.system);
  connection.send(requestBytes({ target: kind.target, headers: named(service, project), body: bodyOf(kind, number) }, 'x'));
  await inTime(heard, 'the request at the provider');
  if (at === 'middle') await connection.received(pieces.slice(0, -1).join('').length);
  return { connection, number, project, open };
}

test('a caller who resets before the head or in the middle: the rest is read for its figure, the record says caller_gone (C4, C5)', async () => {
  await leavingNothing(async () => {
    const expected = new Map<string, unknown[]>();
    for (const kind of allKinds) {
      for (const at of ['head', 'middle'] as const) {
        const { connection, number, project, open } = await waitingCall(kind, at);
        connection.abort();
        await knock();
        open();
        // The next call must not need a second connection, because sockets stay open for a while.
        await noneInFlight();
        expected.set(project, ['caller_gone', 200, 'reported', null, number]);
      }
    }
    for (const record of await recordsOf(service, [...expected.keys()])) assert.deepEqual(facts(record), expected.get(record.project ?? ''));
  });
});

test('a caller who ends its side after the request gets the whole answer, and one who leaves after it is completed (C6, C7)', async () => {
  await leavingNothing(async () => {
    const expected = new Map<string, unknown[]>();
    for (const kind of allKinds) {
      const { connection, number, project, open } = await waitingCall(kind, 'middle');
      connection.halfClose();
      await knock();
      open();
      const answer = await connection.nextAnswer();
      assert.deepEqual([answer.whole, answer.body.toString()], [true, answerPieces(kind, number).join('')]);
      connection.abort();
      expected.set(project, ['completed', 200, 'reported', null, number]);
    }
    for (const record of await recordsOf(service, [...expected.keys()])) assert.deepEqual(facts(record), expected.get(record.project ?? ''));
  });
});

test('a caller who leaves within head or held body leaves no trace; within a streamed body, one record and a cut request (C1 to C3)', async () => {
  await leavingNothing(async () => {
    const held = ['head', ...allKinds.map(({ target }) => target)];
    const requests = (): number => allKinds.reduce((sum, kind) => sum + providerOf(kind).requests.length, 0);
    const heard = requests();
    for (const target of held) {
      const connection = await connectionOf(service.system);
      const lines = named(service, 'phase-held').map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const start = `POST ${target === 'head' ? '/v1/messages' : target} HTTP/1.1\r\nHost: x\r\n${lines}`;
      connection.send(target === 'head' ? start : `${start}Content-Length: 2000\r\n\r\n${'x'.repeat(1000)}`);
      await knock();
      connection.abort();
    }
    assert.equal(requests(), heard);
    const projects: string[] = [];
    for (const kind of allKinds.filter(({ wire, streamed }) => wire === 'anthropic' && streamed)) {
      const provider = providerOf(kind);
      const read = provider.bytesRead;
      const project = `phase-${++lastNumber}`;
      const connection = await connectionOf(service.system);
      const lines = named(service, project).map(([name, value]) => `${name}: ${value}\r\n`).join('');
      connection.send(`POST ${kind.target} HTTP/1.1\r\nHost: x\r\n${lines}Content-Length: 400000\r\n\r\n${'x'.repeat(200_000)}`);
      await eventually(() => provider.bytesRead > read, 'the upload has begun');
      const cut = provider.nextRequest();
      connection.abort();
      assert.equal((await inTime(cut, 'the cut request')).whole, false);
      projects.push(project);
    }
    for (const record of await recordsOf(service, projects)) assert.deepEqual(facts(record), ['caller_gone', null, 'unknown', 'caller_gone', null]);
    const all = await service.system.calls({ count: 0 });
    assert.deepEqual(all.filter(({ project }) => project === 'phase-held'), []);
  });
});
