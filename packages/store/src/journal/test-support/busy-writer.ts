/** A thread that writes a journal as fast as it can: turns of one to forty rows, short and long, some of which fail in part. Then it ends. */
import fs from 'node:fs';
import { randomBytes } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { createJournal } from '../writer.ts';
import { sampleOpening, sampleRecord } from './sample-call.ts';
import type { JournalSync } from '../segment-form.ts';

const { directory, calls, sync } = workerData as { directory: string; calls: number; sync: JournalSync };
const { writeSync } = fs;
let writes = 0;
Object.assign(fs, {
  writeSync(...given: [number, Buffer, number, number, number]): number {
    const [descriptor, bytes, offset, length, position] = given;
    // How far the file is synced, and what makes a frame none.
    if (length <= 24) return writeSync(...given);
    writes += 1;
    // The disk takes a part, and then nothing for one write.
    if (writes % 20 === 0) return writeSync(descriptor, bytes, offset, Math.ceil(length / 2), position);
    if (writes % 20 === 1 && offset > 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return writeSync(...given);
  },
});
syncBuiltinESMExports();

const journal = createJournal({ directory, sync, randomBytes, clock: () => performance.now(), rowsPerSegment: 3_000 });
let number = 0;
let open = 0;

function more(): void {
  for (let row = (number * 7) % 20; row >= 0 && number < calls; row -= 1) {
    number += 1;
    const opening = { ...sampleOpening(number), path: 'p'.repeat(number % 13 === 0 ? 9_000 : number % 90) };
    const figure = number;
    open += 1;
    const again = (): void => journal.open(opening, (error) => {
      // What was refused is tried again.
      if (error !== null) return void setImmediate(again);
      journal.close(sampleRecord(opening, figure), () => { open -= 1; });
    });
    again();
  }
  if (number < calls || open > 0) setImmediate(more);
  else void journal.end().then(() => parentPort!.postMessage({ failures: journal.counters.commitFailures }));
}
more();
