/**
 * SIGTERM under load (reliability F4): no accepted call is lost to its caller. Calls in flight and open streams end whole within the grace
 * period, answers ask for connections to be closed, the process ends with 0, and every call is in the records.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { requestBytes } from '@metergate/testkit/raw-client.ts';
import { gate, type ReceivedRequest, type Script } from '@metergate/testkit/scripted-provider.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { bearer } from '../running-product.ts';
import { answerHeaders, answerPieces, requestedCall, assertCounted, bodyOf, connectionOf, heldBack, kinds, startLoad } from './metered-load.ts';

/** A product whose data outlives its stop, so that its records can be read afterwards. */
async function onOwnData<T>(run: (system: System, key: string, records: () => ReturnType<System['calls']>) => Promise<T>): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'metergate-term-'));
  const system = await startSystem({ dataDirectory });
  let reader: System | null = null;
  try {
    const { key } = await system.createKey();
    await run(system, key, async () => {
      reader = await startSystem({ dataDirectory });
      return reader.calls({ count: 0 });
    });
  } finally {
    await system.stop();
    await (reader as System | null)?.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

/** Resolves once the gateway accepts no new connection. */
async function acceptEnded({ gatewayUrl }: System): Promise<void> {
  const { hostname, port } = new URL(gatewayUrl);
  let refused = false;
  const knock = (): void => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('connect', () => { socket.destroy(); setImmediate(knock); });
    socket.on('error', () => { refused = true; });
  };
  knock();
  await eventually(() => refused, 'the end of accepting');
}

test('SIGTERM under load, on kept connections and on one for each call: accepted calls are answered whole', async () => {
  await onOwnData(async (system, key, records) => {
    const load = startLoad(system, { name: 'term', key, callers: 8, freshCallers: 4 });
    await load.reached(60);
    const code = await system.stop();
    await load.stop();
    assert.equal(code, 0, system.stderr());
    assert.deepEqual(load.spoiled.map(({ number, answer }) => [number, answer.status, answer.whole]), []);
    const byNumber = assertCounted(load, await records(), 0);
    for (const number of load.seen) assert.ok(load.delivered.has(number), `call ${number} was forwarded and not delivered`);
    for (const number of load.unanswered) assert.ok(!byNumber.has(number), `call ${number} was recorded and not answered`);
  });
});

test('SIGTERM with streams open on both wires: they continue, end whole within the grace period, and are recorded as completed', async () => {
  await onOwnData(async (system, key, records) => {
    const go = gate();
    let heard = 0;
    const respond = (request: ReceivedRequest): Script => {
      const { number, kind } = requestedCall(request);
      heard += 1;
      return { headers: answerHeaders(kind), body: heldBack(answerPieces(kind, number), go.opened) };
    };
    system.openai.respond(respond);
    system.anthropic.respond(respond);
    const streams = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(async (number) => {
      const kind = kinds[number % 2 === 0 ? 1 : 3]!;
      const connection = await connectionOf(system);
      const headers: HeaderPair[] = [bearer(key), ['x-svc-project', `open-${number}`]];
      connection.send(requestBytes({ target: kind.target, headers, body: bodyOf(kind, number) }, 'x'));
      await connection.received(answerPieces(kind, number)[0]!.length);
      return { number, kind, connection };
    }));
    assert.equal(heard, 8);
    const stopped = system.stop();
    await acceptEnded(system);
    go.open();
    for (const { number, kind, connection } of streams) {
      const answer = await connection.nextAnswer();
      assert.deepEqual([answer.whole, answer.body.toString()], [true, answerPieces(kind, number).join('')]);
      assert.equal(await connection.ended, 'fin');
    }
    assert.equal(await stopped, 0, system.stderr());
    const all = await records();
    for (const { number } of streams) {
      const [record, ...more] = all.filter(({ project }) => project === `open-${number}`);
      assert.deepEqual([record?.outcome, record?.usage, record?.inputTokens, more.length], ['completed', 'reported', number, 0]);
    }
  });
});
