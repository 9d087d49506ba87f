/** Rule 8a: which organization may hold how much, and that half-received bodies never wait for each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { createHeldBodies, type HeldBodies, type HeldBytes } from './held-bodies.ts';

const kibibyte = 1024;
const budgetBytes = 1_024 * kibibyte;
const organization = (name: string): OrganizationId => name as OrganizationId;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A body that brings a piece whenever its flow is open, until `wanted` bytes came; null: it never ends. */
class Caller {
  readonly held: HeldBytes;
  paused = false;
  received = 0;

  constructor(bodies: HeldBodies, name: string) {
    this.held = bodies.begin(organization(name), { pause: () => { this.paused = true; }, resume: () => { this.paused = false; } });
  }

  bring(bytes: number): void {
    assert.ok(!this.paused);
    this.received += bytes;
    this.held.add(bytes);
  }

  /** Brings pieces until it is paused. */
  bringAll(piece = 32 * kibibyte): number {
    while (!this.paused && this.received < 100 * budgetBytes) this.bring(piece);
    return this.received;
  }
}

test('a single organization holds half by what it received; a newcomer finds room at once, and so does the next one', () => {
  const bodies = createHeldBodies(budgetBytes);
  // The first of each is its oldest, which may continue: it holds little here and stalls.
  for (const name of ['a', 'b', 'c']) new Caller(bodies, name).bring(kibibyte);
  const held: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    const many = Array.from({ length: 50 }, () => new Caller(bodies, name));
    held.push(many.reduce((sum, caller) => sum + (caller.paused ? 0 : caller.bringAll()), 0));
  }
  assert.ok(held.every((bytes) => bytes > 0), String(held));
  assert.ok(held[0]! >= budgetBytes / 2 - 64 * kibibyte && held[0]! <= budgetBytes / 2 + 64 * kibibyte, String(held));
  assert.ok(held[1]! >= budgetBytes / 4 - 64 * kibibyte && held[2]! >= budgetBytes / 8 - 64 * kibibyte, String(held));
  assert.ok(bodies.heldBytes < budgetBytes);
});

test('nine bodies that announced much and stall hold only what they sent, and nobody waits for them', () => {
  const bodies = createHeldBodies(budgetBytes);
  const stalled = Array.from({ length: 9 }, () => new Caller(bodies, 'a'));
  for (const caller of stalled) caller.bring(7 * kibibyte);
  assert.equal(bodies.heldBytes, 63 * kibibyte);
  const other = new Caller(bodies, 'b');
  assert.ok(other.bringAll() >= budgetBytes / 3);
});

test('any number of bodies larger than the memory all end: the oldest always continues', async () => {
  const bodies = createHeldBodies(budgetBytes);
  const wanted = 3 * budgetBytes;
  let open = Array.from({ length: 12 }, (_, at) => new Caller(bodies, `organization ${at % 5}`));
  for (let turns = 0; open.length > 0; turns += 1) {
    assert.ok(turns < 10_000, `${open.length} bodies wait for each other`);
    for (const caller of open) if (!caller.paused) caller.bring(64 * kibibyte);
    for (const caller of open.filter(({ received }) => received >= wanted)) {
      caller.held.finished();
      caller.held.release();
    }
    open = open.filter(({ received }) => received < wanted);
    assert.ok(bodies.heldBytes <= budgetBytes + wanted + open.length * 64 * kibibyte, String(bodies.heldBytes));
    await turn();
  }
  assert.equal(bodies.heldBytes, 0);
});

test('a finished body is held until it is released; both happen once; freed room goes to those that wait, piece by piece', async () => {
  const bodies = createHeldBodies(budgetBytes);
  new Caller(bodies, 'a').bring(kibibyte);
  const large = new Caller(bodies, 'a');
  large.bringAll();
  const waiting = Array.from({ length: 40 }, () => new Caller(bodies, 'a'));
  assert.ok(waiting.every(({ paused, held }) => paused && held.waiting));
  large.held.finished();
  await turn();
  assert.ok(waiting.every(({ paused }) => paused), 'what is whole still takes its room');
  large.held.release();
  large.held.release();
  assert.equal(bodies.heldBytes, kibibyte);
  await turn();
  const awake = waiting.filter(({ paused }) => !paused);
  assert.ok(awake.length > 0 && awake.length <= budgetBytes / 2 / (64 * kibibyte) + 1, String(awake.length));
  for (const caller of awake) caller.held.release();
  await turn();
  for (const caller of waiting) caller.held.release();
  assert.equal(bodies.heldBytes, kibibyte);
});

test('a body that ends while it waits, or right after it was resumed, leaves nothing behind', async () => {
  const bodies = createHeldBodies(budgetBytes);
  const oldest = new Caller(bodies, 'a');
  new Caller(bodies, 'a').bringAll();
  const late = new Caller(bodies, 'a');
  assert.ok(late.paused);
  late.held.release();
  oldest.bringAll();
  oldest.held.release();
  await turn();
  const before = bodies.heldBytes;
  const fresh = new Caller(bodies, 'b');
  fresh.bring(5);
  fresh.held.release();
  assert.equal(bodies.heldBytes, before);
});

test('whole bodies that a provider does not take leave room for others, however many their organization sends', async () => {
  const bodies = createHeldBodies(budgetBytes);
  const bytes = budgetBytes / 16;
  let open = Array.from({ length: 200 }, () => new Caller(bodies, 'a'));
  const whole: Caller[] = [];
  const goOn = async (): Promise<void> => {
    for (const caller of open) if (!caller.paused) caller.bring(8 * kibibyte);
    for (const caller of open.filter(({ received }) => received >= bytes)) {
      caller.held.finished();
      whole.push(caller);
    }
    open = open.filter((caller) => !whole.includes(caller));
    await turn();
  };
  for (let turns = 0; turns < 500; turns += 1) await goOn();
  assert.ok(whole.length > 0 && open.length > 0);
  assert.ok(bodies.heldBytes < budgetBytes * 0.75, String(bodies.heldBytes / budgetBytes));
  for (const name of ['b', 'c']) {
    new Caller(bodies, name).bring(kibibyte);
    assert.ok(!new Caller(bodies, name).paused, name);
  }
  // Once the provider has taken them, the others go on, to the last one.
  for (let turns = 0; open.length > 0; turns += 1) {
    assert.ok(turns < 10_000, `${open.length} bodies wait for each other`);
    for (const caller of whole) caller.held.release();
    await goOn();
  }
});

test('a body that is released twice leaves what its organization holds now counted', () => {
  const bodies = createHeldBodies(budgetBytes);
  const old = new Caller(bodies, 'a');
  old.held.release();
  const [first, second] = [new Caller(bodies, 'a'), new Caller(bodies, 'a')];
  first.bring(budgetBytes / 2);
  old.held.release();
  second.bring(kibibyte);
  assert.ok(new Caller(bodies, 'a').paused, 'it still counts for the half that is its share');
});
