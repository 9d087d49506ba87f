/** Models found by family and release are those that each one of them, asked by itself, would be; in steps that do not multiply. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameModel, modelNameOf } from './model-names.ts';
import { OurFamilies } from './our-families.ts';

/** A release by number: none, a day, or a day of a year. */
const releaseOf = (index: number): string => {
  const day = `${String(index % 12 + 1).padStart(2, '0')}-${String(index % 28 + 1).padStart(2, '0')}`;
  return index % 5 === 0 ? '' : index % 5 === 1 ? `-${day.replace('-', '')}` : `-20${20 + index % 10}-${day}`;
};

test('a name finds what it can mean among all models, as one by one', () => {
  const models = Array.from({ length: 400 }, (_, index) =>
    `${['x-1', 'x 1', 'y-2', '1.x'][index % 4]}${releaseOf(index * 7)}${' '.repeat(index % 3)}`);
  const ours = [...new Set(models)];
  const parsed = new Map(ours.map((model) => [model, modelNameOf(model)]));
  const names = Array.from({ length: 600 }, (_, index) => `${['X 1', 'y_2', 'Z 3'][index % 3]}${releaseOf(index * 11 + index % 4)}`);
  for (const from of [1, 2, 3, 5]) {
    const families = new OurFamilies(ours);
    const claimed = new Set(ours.filter((_, index) => index % 9 === 0));
    for (const name of names.filter((_, index) => index % 5 !== 0 || index > 60 * from)) {
      const wanted = modelNameOf(name);
      const fitting = ours.filter((model) => isSameModel(parsed.get(model)!, wanted));
      const free = fitting.filter((model) => !claimed.has(model));
      const found = families.claim(wanted, (model) => !claimed.has(model));
      assert.deepEqual(found === null ? [] : [found.first, ...found.free.toSorted()],
        fitting.length === 0 ? [] : [fitting[0], ...free.toSorted()], name);
      for (const model of free) claimed.add(model);
    }
  }
});

test('many names of a bill beside many models of their family take steps by names and models, not by one times the other', () => {
  const dayOf = (index: number): string => new Date(Date.UTC(2020, 0, 1) + index * 86_400_000).toISOString().slice(0, 10);
  const kinds: readonly ((index: number) => string)[] = [
    (index) => `-${dayOf(index)}`, (index) => '-'.repeat(index % 300), (index) => `-2025-01-01${' '.repeat(index % 300)}`,
  ];
  for (const [ours, theirs] of kinds.flatMap((one) => kinds.map((other) => [one, other] as const))) {
    const families = new OurFamilies(Array.from({ length: 3_000 }, (_, index) => `x-1${ours(index)}`));
    for (let index = 0; index < 20_000; index += 1) families.claim(modelNameOf(`X 1${theirs(index)}`), () => true);
    assert.ok(families.steps < 100_000, `${families.steps} steps`);
  }
});
