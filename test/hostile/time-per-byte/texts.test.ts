/**
 * What reads a text from outside takes processor time in proportion to the text, whatever stands in it (decision 0100). Every entry is tried with
 * every shape: a text of 32 KiB, or of 64, must not take much more than eight times as long as one of an eighth.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatewayEntries } from './gateway-entries.ts';
import { growthOf, tried } from './growth.ts';
import { operatorEntries } from './operator-entries.ts';
import type { Shape } from './shapes.ts';
import { textEntries } from './text-entries.ts';

const usualBytesMax = 65_536;

/** Texts are made before the time is measured. */
const made = new Map<Shape, Map<number, string>>();
function textOf(shape: Shape, bytes: number): string {
  let ofShape = made.get(shape);
  if (ofShape === undefined) made.set(shape, ofShape = new Map());
  let text = ofShape.get(bytes);
  if (text === undefined) ofShape.set(bytes, text = shape(bytes));
  return text;
}

for (const [entry, { shapes, read, ...most }] of Object.entries({ ...textEntries, ...gatewayEntries, ...operatorEntries })) {
  const bytesMax = (most.bytesMax ?? usualBytesMax) * tried;
  test(`${entry}: its time grows no faster than its length`, async (context) => {
    let costliest = { name: '', longMs: 0 };
    for (const [name, shape] of Object.entries(shapes)) {
      textOf(shape, bytesMax);
      textOf(shape, bytesMax / 8);
      const { longMs, times, linear } = await growthOf((bytes) => read(textOf(shape, bytes)), bytesMax);
      if (longMs > costliest.longMs) costliest = { name, longMs };
      assert.ok(linear, `${name}: ${longMs.toFixed(1)} ms for ${bytesMax} bytes, ${times.toFixed(1)} times as long as for an eighth of them`);
    }
    context.diagnostic(`at most ${costliest.longMs.toFixed(1)} ms: ${costliest.name}`);
  });
}
