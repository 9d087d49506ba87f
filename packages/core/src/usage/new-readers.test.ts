/** What a reader is made of before it reads: as many are made at once as answers come at once, so it must be little. Decision 0306. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonScanner } from '../json/json-scanner.ts';
import type { WatchedValue } from '../json/watched-value.ts';
import { createChatDialect } from './chat-dialect.ts';
import { resetDialect, type Dialect } from './dialect.ts';
import { createMessagesDialect } from './messages-dialect.ts';
import { createOpenDialect } from './open-dialect.ts';
import { createResponsesDialect } from './responses-dialect.ts';

/** All watched places that can be reached from there. */
function placesIn(place: WatchedValue | null, found = new Set<WatchedValue>()): Set<WatchedValue> {
  if (place === null || found.has(place)) return found;
  found.add(place);
  for (const inner of [...place.places, place.firstElement, place.tally?.element ?? null]) placesIn(inner, found);
  return found;
}

function placesOf({ body, event }: Dialect): number {
  return placesIn(event, placesIn(body)).size;
}

const dialects: readonly (readonly [name: string, create: () => Dialect, most: number])[] = [
  ['chat completions', () => createChatDialect({ readsCost: false }), 10],
  ['chat completions of an upstream', () => createChatDialect({ readsCost: true }), 20],
  ['responses of an upstream', () => createResponsesDialect(true), 35],
  ['any path of an upstream', () => createOpenDialect(true), 80],
  // Its stream has two usages, and both are read.
  ['messages of an upstream', () => createMessagesDialect(true), 80],
];

for (const [name, create, most] of dialects) {
  test(`${name}: a new reader watches ${most} places at most`, () => {
    const count = placesOf(create());
    assert.ok(count <= most, `${count} places`);
  });
}

test('what a usage holds is watched once an answer has one, and only at the place where it has it', () => {
  const dialect = createChatDialect({ readsCost: true });
  const before = placesOf(dialect);
  const scanner = new JsonScanner(dialect.body);
  const read = (text: string): void => {
    scanner.clear();
    resetDialect(dialect);
    scanner.push(Buffer.from(text));
    dialect.takeBody();
  };
  read('{"usage":null,"x_groq":{"usage":"none"}}');
  assert.deepEqual([dialect.findings.usage?.kind, placesOf(dialect)], ['not_a_figure', before]);
  read('{"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}');
  const once = placesOf(dialect);
  assert.ok(once > before);
  read('{"x_groq":{"usage":{"prompt_tokens":3,"completion_tokens":4,"cost":0.5}}}');
  assert.equal(placesOf(dialect), once);
  assert.equal(dialect.findings.usage?.kind === 'figures' && dialect.findings.usage.tokens.input, 3);
});
