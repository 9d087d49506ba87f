/**
 * Drawn conversations: both ends say legal messages in any order, and either may leave or close at any moment, whatever the journal takes. Each
 * call that was opened is closed once, nothing is held, and the provider was asked for nothing that has no record.
 */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { resetSocket } from '@metergate/store/network/reset-socket.ts';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { closeOf, frameOf } from '@metergate/testkit/websocket/wire.ts';
import type { Peer } from '@metergate/testkit/websocket/peer.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { completed, create, created, delta, fromCaller, fromProvider, mask } from './test-support/events.ts';
import { ask, begun, done, heard, realtimePath, sessionCreated, spoken, transcribed } from './test-support/realtime-events.ts';
import { startSessionNode, type SessionNode } from './test-support/session-node.ts';

type Step = readonly [by: 'caller' | 'upstream', send: Buffer | 'leave' | 'half-close'];

const id = fc.integer({ min: 1, max: 4 }).map((number) => `resp_${number}`);
const lane = fc.constantFrom(undefined, 'one', 'two');
const by = <Value>(who: Step[0], what: fc.Arbitrary<Value>): fc.Arbitrary<Step> => what.map((send) => [who, send as Buffer]);

const either: fc.Arbitrary<Step> = fc.oneof(
  by('caller', fc.constantFrom(frameOf('p', { opcode: 9, mask }), closeOf(1000, '', mask), frameOf('no JSON', { mask }), 'leave' as const,
    'half-close' as const)),
  by('upstream', fc.constantFrom(frameOf('p', { opcode: 10 }), closeOf(1000), frameOf('no JSON'), 'leave' as const, 'half-close' as const)),
);
const ofResponses: fc.Arbitrary<Step> = fc.oneof(
  by('caller', lane.map((stream_id) => create({ stream_id }))),
  by('caller', id.map((previous) => fromCaller({ type: 'response.steer', previous_response_id: previous }))),
  by('caller', fc.constant(fromCaller({ type: 'response.processed' }))),
  by('upstream', fc.tuple(id, lane).map(([name, stream_id]) => created(name, { event: { stream_id } }))),
  by('upstream', id.map((name) => created(`${name}_next`, { response: { previous_response_id: name } }))),
  by('upstream', lane.map((stream_id) => delta({ stream_id }))),
  by('upstream', fc.tuple(id, lane).map(([name, stream_id]) => completed(name, { stream_id }))),
  by('upstream', fc.tuple(lane, fc.boolean()).map(([stream_id, ofStream]) =>
    fromProvider({ type: 'error', status: 400, error: { code: 'bad' }, stream_id, ...(ofStream ? { sequence_number: 3 } : {}) }))),
);
const ofRealtime: fc.Arbitrary<Step> = fc.oneof(
  by('caller', fc.constantFrom(undefined, 'mine').map((event_id) => ask({ event_id }))),
  by('caller', fc.constant(heard())),
  by('upstream', fc.constant(sessionCreated())),
  by('upstream', fc.oneof(id.map(begun), id.map(spoken), id.map((name) => done(name)))),
  by('upstream', id.map((item) => transcribed(item, { type: 'duration', seconds: 2 }))),
  by('upstream', fc.constantFrom(null, 'mine').map((event_id) => fromProvider({ type: 'error', error: { code: 'bad', event_id } }))),
);

const mostly = (step: fc.Arbitrary<Step>) => fc.oneof({ weight: 6, arbitrary: step }, { weight: 1, arbitrary: either });

const conversationOf = (path: string, step: fc.Arbitrary<Step>) => fc.record({
  path: fc.constant(path),
  /** Beside each step, turns that pass after it. */
  steps: fc.array(fc.tuple(mostly(step), fc.integer({ min: 0, max: 3 })), { maxLength: 30 }),
  /** Turns that the journal takes for each row, one after the other. */
  journal: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 6 }),
  leavesFirst: fc.constantFrom('caller', 'upstream', 'node'),
});

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

function take({ caller, upstream }: { readonly caller: Peer; readonly upstream: Peer }, [who, what]: Step): void {
  const peer = who === 'caller' ? caller : upstream;
  if (what === 'leave') resetSocket(peer.socket);
  else if (what === 'half-close') peer.socket.end();
  else if (peer.socket.writable) peer.send(what);
}

/** Each opened call has been closed, once, its connection last. */
async function assertSettled({ journal, gateway, provider }: SessionNode, handshakes: number): Promise<void> {
  await eventually(() => journal.closed.length >= journal.opened.length && gateway.counters.inFlight === 0);
  const closed = journal.closed.map((record) => record.id);
  assert.deepEqual(new Set(closed), new Set(journal.opened.map((opening) => opening.id)));
  assert.equal(new Set(closed).size, closed.length);
  assert.equal(journal.closed.filter(({ connection }) => connection === null).length, handshakes);
  for (const [at, { connection }] of journal.closed.entries()) if (connection !== null) assert.ok(closed.indexOf(connection) > at);
  const { websocket_bytes, websocket_connections, body_bytes } = gateway.held() as unknown as Record<string, number>;
  assert.deepEqual([websocket_bytes, websocket_connections, body_bytes, gateway.counters.faults], [0, 0, 0, 0]);
  assert.equal(provider.handshakes, handshakes);
}

for (const [api, path, step] of [['Responses', '/v1/responses', ofResponses], ['Realtime', realtimePath, ofRealtime]] as const) {
  suite(`drawn conversations of ${api}`, { timeout: 120_000 }, () => {
    test('each call that was opened is closed once, and nothing is held', async (t) => {
      let node = await startSessionNode(t);
      let handshakes = 0;
      const delayed = (journal: readonly number[]): void => {
        let rows = 0;
        let last = Promise.resolve();
        // Rows are written in their order.
        node.journal.hold = (_what, go) => {
          const turns = journal[(rows += 1) % journal.length]!;
          last = last.then(() => pass(turns)).then(go);
        };
      };
      await fc.assert(fc.asyncProperty(conversationOf(path, step), async ({ steps, journal, leavesFirst }) => {
        delayed(journal);
        const ends = await node.connect({ path });
        handshakes += 1;
        for (const [one, turns] of steps) {
          take(ends, one);
          await pass(turns);
        }
        if (leavesFirst === 'node') {
          await node.gateway.drain(0);
          await assertSettled(node, handshakes);
          node = await startSessionNode(t);
          handshakes = 0;
          return;
        }
        take(ends, [leavesFirst, 'leave']);
        // What is read on for its usage ends with its provider.
        await pass(2);
        take(ends, ['upstream', 'leave']);
        await assertSettled(node, handshakes);
      }), { numRuns: draws(60) });
    });
  });
}
