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

/** A file without an end: the same line again and again. `gone` resolves when nobody reads it any more. */
function endless(line: string, onLine: (count: number) => void = () => undefined) {
  const gone = Promise.withResolvers<void>();
  let count = 0;
  const file = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(to) {
      to.enqueue(new TextEncoder().encode(line));
      onLine(count += 1);
    },
    cancel: () => gone.resolve(),
  });
  return { file, gone: gone.promise };
}

test('a file is read no further when the reader no longer wants it', async () => {
  const reading = new AbortController();
  const { file, gone } = endless('{"calls":1},\n', (count) => { if (count === 20) reading.abort(); });
  await assert.rejects(rowsByLine(file, reading.signal), { name: 'AbortError' });
  await gone;
});

test('a file is read no further after a line that is no row', async () => {
  const { file, gone } = endless('{"calls":,\n');
  await assert.rejects(rowsByLine(file), SyntaxError);
  await gone;
});
