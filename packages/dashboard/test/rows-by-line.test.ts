/** A file of rows is read as it comes, wherever its pieces are cut. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsByLine } from '../src/parts/rows-by-line.ts';

const inPieces = (text: string, size: number): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(to) {
      for (let at = 0; at < bytes.length; at += size) to.enqueue(bytes.slice(at, at + size));
      to.close();
    },
  });
};

test('rows are those of the file, also where a piece ends within a letter', async () => {
  const rows = [{ label: 'a\nb', calls: 1 }, { label: 'ü – 🎉', calls: 2 }, { label: ']', calls: 3 }];
  const file = `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`;
  for (const size of [1, 3, 7, 1_000]) assert.deepEqual(await rowsByLine(inPieces(file, size)), rows);
  assert.deepEqual(await rowsByLine(inPieces('[]', 1)), []);
  assert.deepEqual(await rowsByLine(inPieces(JSON.stringify(rows), 4)), rows);
});

test('a file that was cut is no list', async () => {
  for (const cut of ['[\n{"calls":1},\n{"calls":2}', '[\n{"calls":1}', '[\n{"calls":1},\n']) {
    await assert.rejects(rowsByLine(inPieces(cut, 5)), /ended before|JSON/);
  }
});
