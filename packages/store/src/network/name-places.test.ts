/** Whose names are resolved next, and who keeps a place for how long. Decision 0101. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameDeadlineMs, namePlaces, NamePlaces, placesOfOrganization, waitingOfOrganization } from './name-places.ts';

let lastId = 0;
function ask(places: NamePlaces, organization: string, nowMs = 0): number {
  const id = lastId += 1;
  assert.ok(places.ask({ id, organization, hostname: `name-${id}.example` }, nowMs));
  return id;
}

/** Whose lookups are begun, in order. */
function begun(places: NamePlaces, nowMs = 0): string[] {
  const owners: string[] = [];
  for (let next = places.next(nowMs); next !== null; next = places.next(nowMs)) owners.push(next.organization);
  return owners;
}

test('an organization takes its own places and no more, and the first question of another begins at once', () => {
  const places = new NamePlaces();
  for (let count = 0; count < waitingOfOrganization; count += 1) ask(places, 'slow');
  assert.equal(begun(places).length, placesOfOrganization);
  ask(places, 'other');
  assert.deepEqual(begun(places), ['other']);
});

test('who has fewest places taken is next, and of those who came first', () => {
  const places = new NamePlaces();
  const ids = Array.from({ length: namePlaces }, (_, at) => ask(places, `slow-${at % (namePlaces / 2)}`));
  assert.equal(begun(places).length, namePlaces);
  ask(places, 'slow-0');
  ask(places, 'other');
  ask(places, 'another');
  assert.deepEqual(begun(places), []);
  for (const id of ids.slice(-2)) places.ended(id);
  assert.deepEqual(begun(places), ['other', 'another']);
});

test('a question past its deadline is answered once; a lookup keeps its place until it has really ended', () => {
  const places = new NamePlaces();
  const ids = Array.from({ length: placesOfOrganization + 1 }, () => ask(places, 'slow'));
  begun(places);
  assert.deepEqual(places.late(nameDeadlineMs - 1), []);
  assert.deepEqual(places.late(nameDeadlineMs).map(({ id }) => id).sort(), ids.sort());
  assert.deepEqual(places.late(nameDeadlineMs), []);
  ask(places, 'slow', nameDeadlineMs);
  assert.deepEqual(begun(places, nameDeadlineMs), []);
  assert.equal(places.ended(ids[0]!), false, 'nobody waits for it any more');
  assert.deepEqual(begun(places, nameDeadlineMs), ['slow']);
});

test('so many names of one organization may wait; the next is refused, and that of another is not', () => {
  const places = new NamePlaces();
  for (let count = 0; count < waitingOfOrganization; count += 1) ask(places, 'slow');
  assert.equal(places.ask({ id: -1, organization: 'slow', hostname: 'one.more' }, 0), false);
  assert.equal(places.ask({ id: -2, organization: 'other', hostname: 'first' }, 0), true);
});

test('late lookups that hold half of the places have the process replaced; their organizations keep the places for a while', () => {
  const places = new NamePlaces();
  const slow = Array.from({ length: namePlaces / 2 / placesOfOrganization }, (_, at) => `slow-${at}`);
  for (const organization of slow) for (let count = 0; count < placesOfOrganization; count += 1) ask(places, organization);
  begun(places);
  const young = ask(places, 'other', nameDeadlineMs - 1);
  begun(places, nameDeadlineMs - 1);
  assert.equal(places.mustReplace(nameDeadlineMs), false, 'none of them is late yet');
  places.late(nameDeadlineMs);
  assert.equal(places.mustReplace(nameDeadlineMs), true);
  assert.deepEqual(places.replaced(nameDeadlineMs), []);
  assert.equal(places.mustReplace(nameDeadlineMs), false);
  ask(places, 'slow-0', nameDeadlineMs);
  assert.deepEqual(begun(places, nameDeadlineMs), ['other'], 'what somebody waits for is begun again');
  assert.deepEqual(places.replaced(nameDeadlineMs).map(({ id }) => id), [young], 'but only once');
  assert.deepEqual(begun(places, nameDeadlineMs + 29_999), []);
  assert.deepEqual(begun(places, nameDeadlineMs + 30_000), ['slow-0']);
});

test('a lookup may take a second while all places are taken and another could have one', () => {
  const places = new NamePlaces();
  const slow = Array.from({ length: namePlaces }, (_, at) => ask(places, `slow-${at % (namePlaces / placesOfOrganization)}`));
  begun(places);
  ask(places, 'slow-0');
  assert.deepEqual(places.late(1_000), [], 'who waits may have no other place');
  ask(places, 'other', 1_000);
  assert.deepEqual(places.late(999), []);
  assert.deepEqual(places.late(1_000).map(({ id }) => id), slow);
  places.replaced(1_000);
  assert.deepEqual(begun(places, 1_000), ['other']);
});

test('a single lookup that never ends has the process replaced after a minute', () => {
  const places = new NamePlaces();
  ask(places, 'slow');
  begun(places);
  places.late(nameDeadlineMs);
  assert.equal(places.mustReplace(59_999), false);
  assert.equal(places.mustReplace(60_000), true);
});
