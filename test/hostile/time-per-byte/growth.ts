/**
 * How the processor time of reading a text grows with the text. Processor time of this thread, not time that passes: a busy machine, other
 * tests and the collector's own threads do not change it. Only growth is judged, never a time.
 */

/** Reads a text of about this many bytes. */
export type Read = (bytes: number) => unknown;

/**
 * `METERGATE_TIME_PER_BYTE=all` tries texts of twice the length, and every shape at each field of each operation: minutes of processor time. The
 * usual run tries each kind of field with every shape once.
 */
export const tryAll = process.env['METERGATE_TIME_PER_BYTE'] === 'all';
/** The part of the greatest length that is tried. */
export const tried = tryAll ? 1 : 1 / 2;
/** Below this nothing is judged: reading that is not linear takes far longer at these sizes. Measuring all exactly would take minutes. */
const usualFloorMs = 40 * tried;
/** How many times shorter the short text is. Linear reading takes 8 times as long for the long one, quadratic reading 64 times. */
const step = 8;
/** Linear reading stays below it though caches and the collector favour the short text; quadratic reading is far above. */
const growthMax = 24;
/** Of a growth below this one round says enough: quadratic reading is five times above. */
const growthClear = growthMax / 2;
/** Even quadratic reading of a shorter text takes only seconds. */
const longBytesMin = 16_384;
const attemptsMax = 5;
const againMaxMs = 300;
/** A round of readings goes on until it took this long, in milliseconds of processor time. */
const roundMinMs = 30;
const roundReadingsMax = 1_000;
/** What a round can have taken that the clock has not shown yet, in milliseconds. */
const tickMs = 10;

/** What one reading of `bytes` takes, in milliseconds of processor time. */
export async function processorMs(read: Read, bytes: number): Promise<number> {
  const before = process.threadCpuUsage();
  await read(bytes);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

export interface Growth {
  /** What the long text took, in milliseconds. */
  readonly longMs: number;
  /** How many times as long as the short text it took; 0: it took less than can be judged. */
  readonly times: number;
  readonly linear: boolean;
}

/**
 * Compares a text of `bytesMax` with one of an eighth. A long one is not read before one of an eighth was compared in the same way, so that
 * what is far from linear is found before it takes minutes. What takes less than `floorMs` is not judged. Whatever looks too slow is measured
 * again before it is believed.
 */
export async function growthOf(read: Read, bytesMax: number, floorMs: number = usualFloorMs): Promise<Growth> {
  const shorter = bytesMax > longBytesMin ? await growthAt(read, Math.floor(bytesMax / step), floorMs) : null;
  return shorter?.linear === false ? shorter : growthAt(read, bytesMax, floorMs);
}

async function growthAt(read: Read, bytes: number, floorMs: number): Promise<Growth> {
  let longMs = await processorMs(read, bytes);
  let times = 0;
  for (let attempt = 0; attempt < attemptsMax && longMs >= floorMs; attempt += 1) {
    const shortMs = await leastMs(read, Math.floor(bytes / step), longMs / growthClear);
    // The long text is read again only if it looks too slow: its first reading is its slowest. What took so long is not asked again and again.
    if (longMs > shortMs * growthMax && longMs < againMaxMs) longMs = Math.min(longMs, await leastMs(read, bytes));
    times = longMs / shortMs;
    if (times <= growthMax) return { longMs, times, linear: true };
  }
  return { longMs, times, linear: longMs < floorMs };
}

/**
 * The least of three rounds, or of fewer once one took at least `enoughMs`: that it was not faster is all that is asked. Each reads so often that
 * the clock's steps do not matter: for a thread it goes on in ticks of up to 10 ms.
 */
async function leastMs(read: Read, bytes: number, enoughMs: number = Number.POSITIVE_INFINITY): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    let roundMs = 0;
    let readings = 0;
    for (; roundMs < roundMinMs && readings < roundReadingsMax; readings += 1) roundMs += await processorMs(read, bytes);
    least = Math.min(least, Math.max(roundMs, tickMs) / readings);
    if (least >= enoughMs) break;
  }
  return least;
}
