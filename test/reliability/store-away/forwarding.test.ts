/**
 * The store locked or gone under load (reliability F6, F10, F13): forwarding does not notice, keys that a node holds keep working, and
 * when the store is back every call is in it once.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { startPostgres, type OwnPostgres } from '@metergate/testkit/postgres.ts';
import { gate, type ReceivedRequest, type Script } from '@metergate/testkit/scripted-provider.ts';
import { requestBytes, type RawConnection } from '@metergate/testkit/raw-client.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { bearer } from '../../running-product.ts';
import {
  answerHeaders, answerPieces, requestedCall, assertCounted, bodyOf, connectionOf, heldBack, kinds, startLoad, type Load,
} from '../metered-load.ts';

/** The load runs at least this long while the store is away: longer than any wait for a lock. Milliseconds. */
const awayMs = 5_000;
/** Ten answers of a provider that answers at once never take longer, whatever the store does: as long as a wait for a lock. */
const answerMsMax = 5_000;

/** Lets the load run until that much time has passed, and checks that it makes progress: each step of ten answers comes in time. */
async function makesProgress(system: System, load: Load, durationMs: number): Promise<void> {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs) {
    const stepMs = performance.now();
    await load.reached(load.delivered.size + 10);
    assert.deepEqual([load.spoiled.map(({ answer }) => answer.status), load.unanswered.length], [[], 0], system.stderr());
    assert.ok(performance.now() - stepMs < answerMsMax, 'the load stood still while the store was away');
  }
}

/** A stream that was opened, with all but its last event received. */
async function openStream(system: System, key: string, number: number): Promise<{ connection: RawConnection; whole: string; open: () => void }> {
  const { opened, open } = gate();
  const kind = kinds[1]!;
  const respond = (request: ReceivedRequest): Script => {
    const asked = requestedCall(request);
    return { headers: answerHeaders(asked.kind), body: heldBack(answerPieces(asked.kind, asked.number), opened) };
  };
  system.openai.respond(respond);
  const connection = await connectionOf(system);
  connection.send(requestBytes({ target: kind.target, headers: [bearer(key), ['x-svc-project', 'stream']], body: bodyOf(kind, number) }, 'x'));
  const pieces = answerPieces(kind, number);
  await connection.received(pieces.slice(0, -1).join('').length);
  return { connection, whole: pieces.join(''), open };
}

/** Waits until the store has every call of the load, and compares the two. */
async function assertAllCounted(system: System, load: Load): Promise<void> {
  const prefix = load.projectOf(0).slice(0, -1);
  const records = await eventually(async () => {
    const all = await system.calls({ count: 0 });
    return all.filter(({ project }) => project?.startsWith(prefix) === true).length >= load.seen.length && all;
  }, () => `not all of ${load.seen.length} forwarded calls are recorded`);
  assertCounted(load, records, 0);
}

test('another process holds the store\'s write lock for 5 s under load: no call and no open stream notices, all are recorded once (F6)', async () => {
  const system = await startSystem();
  try {
    const { key } = await system.createKey();
    const stream = await openStream(system, key, 900_001);
    const load = startLoad(system, { name: 'locked', key, callers: 4, providerMs: 10 });
    await load.reached(20);
    const database = new DatabaseSync(join(system.dataDirectory, 'metergate.db'), { timeout: 5_000 });
    try {
      database.exec('BEGIN IMMEDIATE');
      await makesProgress(system, load, awayMs);
      stream.open();
      const answer = await stream.connection.nextAnswer();
      assert.deepEqual([answer.whole, answer.body.toString()], [true, stream.whole]);
      database.exec('ROLLBACK');
    } finally {
      database.close();
    }
    await load.stop();
    await assertAllCounted(system, load);
    const streams = (await system.calls({ count: 0 })).filter(({ project }) => project === 'stream');
    assert.deepEqual(streams.map(({ outcome, inputTokens }) => [outcome, inputTokens]), [['completed', 900_001]]);
  } finally {
    await system.stop();
  }
});

let postgres: OwnPostgres;
before(async () => { postgres = await startPostgres(); });
after(async () => { await postgres.stop(); });

test('PostgreSQL stops and comes back under load: held keys keep working, unknown ones get a 500, every call is recorded once (F10)', async () => {
  const env = { SVC_DATABASE_URL: await postgres.createDatabase(), SVC_MASTER_KEY: randomBytes(32).toString('base64') };
  const system = await startSystem({ env });
  try {
    const { key } = await system.createKey();
    const load = startLoad(system, { name: 'away', key, callers: 4, providerMs: 10 });
    await load.reached(20);
    await postgres.pause();
    await makesProgress(system, load, 2_000);
    const stranger = await connectionOf(system);
    const refused = await stranger.call({ target: '/v1/messages', headers: [bearer(`svc_live_${'0'.repeat(32)}`)], body: '{}' });
    // Nobody can know now whether that key is good; the answer must not say that it is bad.
    assert.equal(refused.status, 500, refused.body.toString());
    await stranger.close();
    await postgres.resume();
    await load.reached(load.delivered.size + 20);
    await load.stop();
    assert.deepEqual([load.spoiled.length, load.unanswered.length], [0, 0]);
    await assertAllCounted(system, load);
  } finally {
    await system.stop();
  }
});

test('killed while PostgreSQL is away: the journal has the calls, and the next start ships each to the store once (F13)', async () => {
  const env = { SVC_DATABASE_URL: await postgres.createDatabase(), SVC_MASTER_KEY: randomBytes(32).toString('base64') };
  let system = await startSystem({ env });
  try {
    const { key } = await system.createKey();
    const load = startLoad(system, { name: 'lost', key, callers: 4, providerMs: 10 });
    await load.reached(20);
    await postgres.pause();
    await load.reached(load.delivered.size + 40);
    await system.kill9();
    await load.stop();
    await postgres.resume();
    system = await system.restart();
    assertCounted(load, await system.calls({ count: 0 }), 4);
  } finally {
    await system.stop();
  }
});
