/** Work that the store did not answer in time, tried again. Nobody knows then whether it was done, so doing it twice must be as doing it once. */
import { setTimeout as pause } from 'node:timers/promises';
import { StoreFault } from '@metergate/store/engine/fault.ts';

/** With the pauses below, a server may be away for a minute and a half. */
const triesMax = 20;
const pauseMsMax = 5_000;

/** Pauses before another try, longer each time. `failed`: a try was of no use, and there will be another. @throws what the last try threw. */
export async function triedAgain(work: () => Promise<void>, failed: () => void): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isPassing = error instanceof StoreFault && (error.code === 'store_unreachable' || error.code === 'store_busy');
      if (!isPassing || tries === triesMax) throw error;
    }
    failed();
    await pause(Math.min(tries * 500, pauseMsMax));
  }
}
