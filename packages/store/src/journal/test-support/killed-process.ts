/**
 * A process to kill: `write` opens and closes calls through a journal and prints what was acknowledged, at once and unbuffered,
 * and ships meanwhile if it gets a store; `recover` recovers and ships a journal into a store. Arguments: mode, journal directory,
 * the store's URL ('' for none), and for `write` the organization. Used only by the kill test.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore, type Store } from '../../store.ts';
import { createShipper } from '../shipper.ts';
import { createJournal } from '../writer.ts';
import { sampleOpening, sampleRecord } from './sample-call.ts';

const [mode, directory, url, organization] = process.argv.slice(2) as [string, string, string, string];
const clock = (): number => performance.now();

function openThere(): Promise<Store> {
  return openStore({ url, masterKey: new Uint8Array(32).fill(7), clock: Date.now, randomBytes, create: false });
}

/** Without end, so that the kill meets segments that are shipped in part. */
async function ship(): Promise<void> {
  const { calls } = await openThere();
  const shipper = createShipper({ directory, calls, clock });
  for (;;) {
    await shipper.pass();
    await pause(5);
  }
}

/** Lines of one turn go out together, before the next turn: what the parent read was acknowledged. */
function write(): void {
  const journal = createJournal({ directory, sync: 'normal', randomBytes, clock, rowsPerSegment: 150 });
  let number = Number(`0x${randomBytes(4).toString('hex')}`) * 100_000;
  const begin = (): void => {
    const opening = sampleOpening(++number, organization);
    journal.open(opening, (error) => {
      if (error !== null) throw error;
      writeSync(1, `opened ${opening.id}\n`);
      const figure = number % 1_000_000;
      const end = (): void => journal.close(sampleRecord(opening, figure), () => {
        writeSync(1, `closed ${opening.id} ${figure}\n`);
        begin();
      });
      // Some calls last long, so that a kill always finds open ones, also in segments that take no new calls.
      if (number % 7 === 0) setTimeout(end, number % 90);
      else setImmediate(end);
    });
  };
  for (let parallel = 0; parallel < 24; parallel += 1) begin();
}

async function recover(): Promise<void> {
  const store = await openThere();
  const shipper = createShipper({ directory, calls: store.calls, clock });
  writeSync(1, 'began\n');
  await shipper.recover();
  shipper.close();
  await store.close();
}

if (mode === 'write') {
  write();
  if (url !== '') await ship();
} else {
  await recover();
}
