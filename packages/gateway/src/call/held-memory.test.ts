/** What a held body takes: as much memory as is counted for it, and none once it was released, however long its call goes on. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { Route } from '@metergate/core/call/route.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { collect } from '@metergate/store/threads/collector.ts';
import { ArrivingRequest } from '../callers/arriving-request.ts';
import type { CallerResponse } from '../callers/caller-exchange.ts';
import type { Connection } from '../callers/connections.ts';
import { createHeldBodies } from '../fairness/held-bodies.ts';
import { bodySlabs, slabBytes } from '../fairness/body-slabs.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { OutboundBody } from './admitted-call.ts';
import { HeldBody } from './held-body.ts';

/** Bytes of one read. More than half a slab. */
const readBytes = 40_000;
const reads = 3;

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A body that is being held, and what is counted for it. */
function heldBody({ pairs = [], readsModels = false }: { readonly pairs?: string[]; readonly readsModels?: boolean } = {}) {
  const heldBodies = createHeldBodies(64 << 20);
  const request = new ArrivingRequest(new Socket(), 0, { method: 'POST', target: '/', pairs, bodyBytes: reads * readBytes });
  const { promise, resolve, reject } = Promise.withResolvers<OutboundBody>();
  const body = new HeldBody({ heldBodies } as GatewayNode, {
    request, response: {} as CallerResponse, connection: { socket: request.socket, receiving: [] } as unknown as Connection,
    route: { bodyHeld: true } as Route, organization: 'org_a' as OrganizationId, readsLater: null, readsHidden: false, readsModels, signs: false,
    ready: resolve, refused: reject, broke: reject,
  }, reads * readBytes);
  body.receive();
  return { heldBodies, request, whole: promise };
}

test('a piece in memory that is used again counts with all of that memory', async () => {
  const { heldBodies, request, whole } = heldBody();
  for (let read = 1; read <= reads; read += 1) {
    request.receive(Buffer.alloc(readBytes));
    await turn();
    assert.equal(heldBodies.heldBytes, read * slabBytes);
  }
  (await whole).release();
  assert.equal(heldBodies.heldBytes, 0);
});

test('a body that was released without having been written holds no memory', { timeout: 120_000 }, async () => {
  const { request, whole } = heldBody();
  for (let read = 0; read < reads; read += 1) request.receive(Buffer.alloc(readBytes));
  const body = await whole;
  const pieces = (body.content as Uint8Array[]).map((piece) => new WeakRef(piece));
  body.release();
  // What a weak reference led to lives to the end of its turn, and code that ran often may hold it for some more.
  while (pieces.some((piece) => piece.deref() !== undefined)) {
    for (let turns = 0; turns < 2; turns += 1) await turn();
    collect();
  }
  assert.equal(body.receivedBytes(), reads * readBytes);
});

test('pieces that are held are no part of a larger room, and short ones are freed once they are written', async () => {
  const { heldBodies, request, whole } = heldBody();
  const bytes = reads * readBytes;
  const lengths = [6_000, 40_000, 1, 30_000, 3_000];
  for (const length of [...lengths, bytes - lengths.reduce((sum, each) => sum + each)]) {
    request.receive(Buffer.alloc(length, length % 251));
    await turn();
  }
  const body = await whole;
  const pieces = body.content as Buffer[];
  assert.equal(pieces.reduce((sum, { length }) => sum + length, 0), bytes);
  const lent = pieces.filter((piece) => bodySlabs.hasLent(piece));
  const short = pieces.filter((piece) => !bodySlabs.hasLent(piece));
  assert.ok(lent.length > 0 && short.length > 0);
  for (const { buffer, length } of short) assert.ok(buffer.byteLength <= Math.max(2 * length, 2_048), `${length} in ${buffer.byteLength}`);
  body.written!();
  assert.deepEqual([...lent.map((piece) => bodySlabs.hasLent(piece)), ...short.map(({ length }) => length)], pieces.map((_, at) =>
    at < lent.length ? false : 0));
  assert.equal(heldBodies.heldBytes, 0, 'what was written counts no more, though it has no answer');
  body.release();
});

test('short pieces of a form whose models are read are held in the slab alone', { timeout: 120_000 }, async () => {
  const { request } = heldBody({ pairs: ['content-type', 'multipart/form-data; boundary=BB'], readsModels: true });
  const pieces: WeakRef<Buffer>[] = [];
  request.on('data', (piece: Buffer) => pieces.push(new WeakRef(piece)));
  for (let sent = 0; sent < slabBytes; sent += slabBytes / 4) request.receive(Buffer.alloc(slabBytes / 4));
  await eventually(() => pieces.length >= 4);
  while (pieces.some((piece) => piece.deref() !== undefined)) {
    for (let turns = 0; turns < 2; turns += 1) await turn();
    collect();
  }
  assert.equal(request.complete, false);
});
