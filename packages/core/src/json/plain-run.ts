/**
 * Bytes that stand for themselves in a JSON string: where a run of them ends. A long one is copied into the memory of a few instructions of
 * WebAssembly, which look at 16 bytes at once: 1 ns of JavaScript a byte becomes 0.05. A short one is not worth the copy. Without WebAssembly,
 * everything is read in JavaScript.
 */
import {
  above, add, block, constant, get, instanceOf, isZero, leaveIf, loop, notBelow, set, trailingZeros, type FunctionCode, type WasmExports,
} from './wasm-code.ts';
import { oddBytes } from './odd-bytes.ts';

const quote = 0x22;
const backslash = 0x5c;

/** 1 for bytes that stand for themselves in a string: ASCII from the space on, but for the quote and the backslash. */
const plain = new Uint8Array(256).map((_, byte) => (byte >= 0x20 && byte < 0x80 && byte !== quote && byte !== backslash ? 1 : 0));

/** Bytes of a run that are read one by one. Text whose runs have 80 bytes on average takes an eighth longer for it, from 120 on it takes less. */
const nearBytes = 128;
/** What is copied at first, since most runs end within it, and what the memory holds. Multiples of 16. */
const firstCopyBytes = 1_024;
const memoryBytes = 65_536;

/** Where the run that begins at `from` ends: the index of the first byte in `source[from..to)` that is not plain, or `to`. */
export function plainRunEnd(source: Uint8Array, from: number, to: number): number {
  const nearTo = to - from > nearBytes ? from + nearBytes : to;
  let at = from;
  while (at < nearTo && plain[source[at]!] === 1) at++;
  return at === nearTo && at < to ? farRunEnd(source, at, to) : at;
}

/** Null: there is none. Undefined: nobody has asked yet. */
let wideReader: WasmExports | null | undefined;

function farRunEnd(source: Uint8Array, from: number, to: number): number {
  if (wideReader === undefined) wideReader = instanceOf(plainBytes(), memoryBytes);
  const reader = wideReader;
  let at = from;
  if (reader === null) {
    while (at < to && plain[source[at]!] === 1) at++;
    return at;
  }
  for (let bytesMax = firstCopyBytes; at < to; bytesMax = memoryBytes) {
    const bytes = Math.min(to - at, bytesMax);
    reader.memory.set(source.subarray(at, at + bytes));
    const run = reader.run(bytes);
    if (run < bytes) return at + run;
    at += bytes;
  }
  return to;
}

/** How many bytes from the beginning of the memory are plain: `bytes` or more where all of those are. `bytes`: above 0. */
function plainBytes(): FunctionCode {
  const [bytes, at, odd] = [0, 1, 2];
  const [wideBlock] = [3];
  return {
    name: 'plainBytes', parameters: 1, locals: 2, wideLocals: 1,
    body: [
      block('found',
        loop('next',
          set(odd, oddBytes(wideBlock, get(at))),
          leaveIf('found', above(get(odd), constant(0))),
          set(at, add(get(at), constant(16))),
          leaveIf('next', isZero(notBelow(get(at), get(bytes)))),
        ),
        set(odd, constant(1)),
      ),
      add(get(at), trailingZeros(get(odd))),
    ],
  };
}
