/** A log that nobody reads takes no more than its bound, and says afterwards what is missing. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { boundedLines } from './bounded-lines.ts';

/** A stream whose reader takes nothing until the test lets it. */
function unread() {
  const taken: string[] = [];
  let waits: (() => void) | null = null;
  let reads = false;
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      taken.push(text);
      if (reads) done();
      else waits = done;
    },
  });
  const read = (): Promise<void> => new Promise((resolve) => {
    reads = true;
    stream.once('drain', () => setImmediate(resolve));
    waits?.();
  });
  return { taken, stream: stream as unknown as NodeJS.WriteStream, read };
}

const dropped = '100 lines of the log were dropped, because nothing read them.';

for (const [format, before, note] of [
  ['text', 'metergate: ', `metergate: ${dropped}`],
  ['json', '{"message":"', `{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"${dropped}"}`],
] as const) {
  test(`${format}: what is not read is held up to a bound, and what was dropped is counted`, async () => {
    const { taken, stream, read } = unread();
    const write = boundedLines(stream, () => 0);
    const line = `${before}${'x'.repeat(65_536 - before.length - 1)}\n`;
    // One more than the bound holds is taken: it is over only then.
    for (let at = 0; at < 65 + 100; at += 1) write(line);
    assert.equal(stream.writableLength, 65 * 65_536);
    await read();
    assert.equal(taken.length, 66);
    assert.equal(taken.at(-1), `${note}\n`);
    write(line);
    assert.equal(taken.at(-1), line);
  });
}
