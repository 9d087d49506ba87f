/**
 * Which names of runs may have been used: a Bloom filter, so it takes the same memory for ten runs and for ten million. `no` is certain;
 * for `perhaps` the store must be asked. With three million runs that is one in a hundred new names, with ten million one in five.
 */

/** Of 32 bits. 4 MiB, of which a system gives only what is written to. */
const words = 1 << 20;
const bitMask = words * 32 - 1;
const bitsOfName = 5;

/** A value that can be copied between threads. Changed in place. */
export type KnownRuns = Uint32Array;

export function noRuns(): KnownRuns {
  return new Uint32Array(words);
}

/** Notes a name. True: it was certainly not known before. */
export function noteRun(known: KnownRuns, { organization, id }: { readonly organization: string; readonly id: string }): boolean {
  let [at, step] = placesOf(`${organization} ${id}`);
  let isNew = false;
  for (let bit = 0; bit < bitsOfName; bit += 1) {
    const mask = 1 << (at & 31);
    if ((known[at >>> 5]! & mask) === 0) isNew = true;
    known[at >>> 5]! |= mask;
    [at, step] = next(at, step, bit);
  }
  return isNew;
}

/** False: certainly not. */
export function mayKnowRun(known: KnownRuns, { organization, id }: { readonly organization: string; readonly id: string }): boolean {
  let [at, step] = placesOf(`${organization} ${id}`);
  for (let bit = 0; bit < bitsOfName; bit += 1) {
    if ((known[at >>> 5]! & (1 << (at & 31))) === 0) return false;
    [at, step] = next(at, step, bit);
  }
  return true;
}

function next(at: number, step: number, bit: number): [at: number, step: number] {
  return [(at + step) & bitMask, (step + bit) & bitMask];
}

/** Two hashes of 32 bits, each from one walk over the text: the first place, and how far the next one is. */
function placesOf(text: string): [at: number, step: number] {
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2_654_435_761);
    two = Math.imul(two ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909);
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return [(one ^ (one >>> 15)) & bitMask, (two | 1) & bitMask];
}
